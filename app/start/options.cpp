#include "app/start/options.h"

#include <QCommandLineParser>
#include <QCoreApplication>

#include "core/catalog.h"

namespace lab::app {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Options", text);
}

const QString kHelp = QStringLiteral("help");
const QString kVersion = QStringLiteral("version");

void describe(QCommandLineParser& parser) {
    const auto option = [&parser](const char* name, const QString& text, const char* value = "") {
        parser.addOption({QString::fromLatin1(name), text, QString::fromLatin1(value)});
    };
    parser.addOption({{QStringLiteral("h"), kHelp}, tr("Show this help and exit.")});
    parser.addOption({{QStringLiteral("v"), kVersion}, tr("Show the version and exit.")});
    option("open", tr("Open this experiment."), "FILE.toml");
    option("preset", tr("Open a preset experiment; first-minute is the default."), "NAME");
    option("mode", tr("Show this page first: %1.").arg(modeNames().join(QStringLiteral(", "))),
           "NAME");
    option("train", tr("Start training at once."));
    option("theme", tr("system, light or dark."), "NAME");
    option("quit-after", tr("Close by itself after this time, checkpointing what trains."),
           "SECONDS");
    option("frame-log", tr("Write the time and cost of every frame as CSV."), "FILE");
    option("screenshot", tr("Draw every page, light and dark, as PNG into a folder and exit."),
           "FOLDER");
    option("bench-gui", tr("Measure frame times and what the window costs training, and exit."));
    option("seconds", tr("How long --bench-gui measures, in all."), "SECONDS");
    option("json", tr("Print the result of --bench-gui as JSON."));
    parser.addPositionalArgument(QStringLiteral("file"), tr("An experiment to open."),
                                 QStringLiteral("[FILE.toml]"));
    parser.setApplicationDescription(
        tr("A visual lab for state tracking in sequence models.\n"
           "Without a display, use the program thimblerig-cli (./lab cli)."));
}

std::optional<ThemeChoice> themeFrom(const QString& name) {
    if (name == QLatin1String("system")) return ThemeChoice::kSystem;
    if (name == QLatin1String("light")) return ThemeChoice::kLight;
    if (name == QLatin1String("dark")) return ThemeChoice::kDark;
    return std::nullopt;
}

/// Reads values and checks them; the first wrong one ends the program with code 2.
class Reader {
public:
    explicit Reader(const QCommandLineParser& parser) : m_parser(parser) {}

    Parsed read() {
        Options& o = m_parsed.options;
        o.file = text("open");
        if (o.file.isEmpty() && !m_parser.positionalArguments().isEmpty()) {
            o.file = m_parser.positionalArguments().constFirst();
        }
        o.preset = text("preset");
        o.mode = text("mode");
        o.frameLog = text("frame-log");
        o.screenshots = text("screenshot");
        o.train = has("train");
        o.benchGui = has("bench-gui");
        o.json = has("json");
        o.quitAfter = seconds("quit-after", 0);
        o.benchSeconds = seconds("seconds", o.benchSeconds);
        if (has("theme")) {
            o.theme = themeFrom(text("theme"));
            require(o.theme.has_value(),
                    tr("--theme is \"%1\", must be system, light or dark").arg(text("theme")));
        }
        require(o.mode.isEmpty() || modeNames().contains(o.mode),
                tr("--mode is \"%1\", must be one of %2")
                    .arg(o.mode, modeNames().join(QStringLiteral(", "))));
        require(o.preset.isEmpty() || o.file.isEmpty(),
                tr("--preset and --open exclude each other"));
        return m_parsed;
    }

private:
    [[nodiscard]] bool has(const char* name) const {
        return m_parser.isSet(QString::fromLatin1(name));
    }
    [[nodiscard]] QString text(const char* name) const {
        return m_parser.value(QString::fromLatin1(name));
    }
    double seconds(const char* name, double otherwise) {
        if (!has(name)) {
            return otherwise;
        }
        bool good = false;
        const double value = text(name).toDouble(&good);
        require(good && value > 0 && value < 1e6,
                tr("--%1 is \"%2\", must be a number of seconds above 0")
                    .arg(QString::fromLatin1(name), text(name)));
        return value;
    }
    void require(bool good, const QString& message) {
        if (!good && !m_parsed.exitCode) {
            m_parsed.exitCode = 2;
            m_parsed.text = message;
        }
    }

    const QCommandLineParser& m_parser;
    Parsed m_parsed;
};

/// The text needs an application object for the program's name.
QString helpText(const QCommandLineParser& parser) {
    static char name[] = "thimblerig";
    char* arguments[] = {name, nullptr};
    int count = 1;
    const QCoreApplication application(count, arguments);
    return parser.helpText();
}

}  // namespace

const QStringList& modeNames() {
    static const QStringList kNames{QStringLiteral("shell"), QStringLiteral("trace"),
                                    QStringLiteral("task"), QStringLiteral("architecture"),
                                    QStringLiteral("training")};
    return kNames;
}

Parsed parseOptions(const QStringList& arguments) {
    QCommandLineParser parser;
    describe(parser);
    if (!parser.parse(arguments)) {
        return {.options = {}, .exitCode = 2, .text = parser.errorText()};
    }
    if (parser.isSet(kHelp)) {
        return {.options = {}, .exitCode = 0, .text = helpText(parser)};
    }
    if (parser.isSet(kVersion)) {
        const QString version =
            QString::fromUtf8(lab::version().data(), static_cast<qsizetype>(lab::version().size()));
        return {
            .options = {}, .exitCode = 0, .text = QStringLiteral("thimblerig %1\n").arg(version)};
    }
    return Reader(parser).read();
}

}  // namespace lab::app
