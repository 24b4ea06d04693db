# The desktop program. Everything but main() is a library, so that tests can drive the real window.
find_package(Qt6 6.4 REQUIRED COMPONENTS Widgets)
find_package(spdlog REQUIRED)

lab_library(app
    HEADERS workbench.h
            dialogs/help_dialogs.h dialogs/run_dialog.h
            document/experiment_document.h
            frame/frame_clock.h frame/frame_log.h frame/gui_bench.h
            pages/architecture_page.h pages/controls.h pages/curve_feed.h pages/page.h pages/recipe_fields.h
            pages/run_style.h pages/shell_page.h pages/spec_form.h pages/spec_text.h pages/stage_column.h
            pages/task_page.h pages/trace_page.h pages/training_page.h
            reading/reader_controller.h reading/trace_edit.h
            runs/run.h runs/run_controller.h runs/run_curves.h runs/spacing_job.h
            start/application.h start/display.h start/logging.h start/options.h start/pictures.h
            window/actions.h window/close_flow.h window/file_flow.h window/inspector.h window/main_window.h
            window/menus.h window/message_bar.h window/modes.h window/run_status.h
    SOURCES workbench.cpp
            dialogs/help_dialogs.cpp dialogs/run_dialog.cpp
            document/experiment_document.cpp
            frame/frame_clock.cpp frame/frame_log.cpp frame/gui_bench.cpp
            pages/architecture_page.cpp pages/controls.cpp pages/curve_feed.cpp pages/page.cpp
            pages/recipe_fields.cpp pages/run_style.cpp pages/shell_page.cpp pages/spec_form.cpp
            pages/spec_text.cpp pages/stage_column.cpp pages/task_page.cpp pages/trace_page.cpp
            pages/training_page.cpp
            reading/reader_controller.cpp reading/trace_edit.cpp
            runs/run_controller.cpp runs/run_curves.cpp runs/spacing_job.cpp
            start/application.cpp start/display.cpp start/logging.cpp start/options.cpp start/pictures.cpp
            window/actions.cpp window/close_flow.cpp window/file_flow.cpp window/inspector.cpp
            window/main_window.cpp window/menus.cpp window/message_bar.cpp window/modes.cpp
            window/run_status.cpp
    PUBLIC lab::values lab::core lab::widgets Qt6::Widgets
    PRIVATE spdlog::spdlog)
set_target_properties(lab_app PROPERTIES AUTOMOC ON)
target_compile_definitions(lab_app PRIVATE QT_NO_CAST_FROM_ASCII QT_NO_NARROWING_CONVERSIONS_IN_CONNECT)

add_executable(thimblerig main.cpp)
target_link_libraries(thimblerig PRIVATE lab::app lab_warnings ${CMAKE_DL_LIBS})
include(GNUInstallDirs)
set(packaging ${PROJECT_SOURCE_DIR}/packaging)
set(appId io.github.thimblerig.Thimblerig)
install(TARGETS thimblerig RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${packaging}/${appId}.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES ${packaging}/${appId}.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
install(FILES ${packaging}/${appId}.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
install(FILES ${packaging}/thimblerig-experiment.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
install(FILES ${packaging}/man/thimblerig.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
