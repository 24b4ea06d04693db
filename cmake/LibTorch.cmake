# LibTorch as an imported target, lab::torch.
#
# The wheel's own TorchConfig.cmake insists on a CUDA toolkit that CMake 3.25 understands; linking the CPU libraries
# directly needs no toolkit, starts faster, and leaves CUDA to be opened at run time. `./lab setup` puts LibTorch into
# the cache folder and passes its place in LAB_LIBTORCH_ROOT.
set(LAB_LIBTORCH_ROOT "$ENV{LAB_LIBTORCH_ROOT}" CACHE PATH "Folder that holds include/ and lib/ of LibTorch")
find_path(LIBTORCH_INCLUDE torch/csrc/api/include/torch/torch.h
    PATHS ${LAB_LIBTORCH_ROOT}/include NO_DEFAULT_PATH REQUIRED)
find_library(LIBTORCH_CPU torch_cpu PATHS ${LAB_LIBTORCH_ROOT}/lib NO_DEFAULT_PATH REQUIRED)
find_library(LIBTORCH_C10 c10 PATHS ${LAB_LIBTORCH_ROOT}/lib NO_DEFAULT_PATH REQUIRED)
add_library(lab_torch INTERFACE)
add_library(lab::torch ALIAS lab_torch)
target_include_directories(lab_torch SYSTEM INTERFACE
    ${LIBTORCH_INCLUDE} ${LIBTORCH_INCLUDE}/torch/csrc/api/include)
target_link_libraries(lab_torch INTERFACE ${LIBTORCH_CPU} ${LIBTORCH_C10})
