#include "widgets/forms/eigenvalue_picture.h"

#include <QPainter>
#include <QPainterPath>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include "widgets/paint.h"
#include "widgets/theme.h"

namespace lab::widgets {
namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

// Uniform in [0, 1); std::uniform_real_distribution differs by library.
double uniform(std::mt19937& engine) {
    return static_cast<double>(engine()) / 4294967296.0;
}

Vector onSphere(std::mt19937& engine) {
    const double z = 2 * uniform(engine) - 1;
    const double angle = 2 * std::numbers::pi * uniform(engine);
    const double around = std::sqrt(1 - z * z);
    return {around * std::cos(angle), around * std::sin(angle), z};
}

// m := (I - beta k k^T) m
void applyStep(Matrix& m, double beta, const Vector& k) {
    for (std::size_t column = 0; column < 3; ++column) {
        double along = 0;
        for (std::size_t row = 0; row < 3; ++row) {
            along += k.at(row) * m.at(row).at(column);
        }
        for (std::size_t row = 0; row < 3; ++row) {
            m.at(row).at(column) -= beta * k.at(row) * along;
        }
    }
}

// Roots of x^3 - trace x^2 + minors x - det: a real one by bisection (the cubic is negative at -1.1
// and positive at 1.1, because |x| <= 1), the other two from the quadratic that is left.
std::array<std::complex<double>, 3> eigenvalues(const Matrix& m) {
    const auto minor = [&m](std::size_t i, std::size_t j) {
        return m[i][i] * m[j][j] - m[i][j] * m[j][i];
    };
    const double trace = m[0][0] + m[1][1] + m[2][2];
    const double minors = minor(0, 1) + minor(0, 2) + minor(1, 2);
    const double det = m[0][0] * minor(1, 2) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                       m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    double low = -1.1;
    double high = 1.1;
    for (int i = 0; i < 50; ++i) {
        const double x = (low + high) / 2;
        (((x - trace) * x + minors) * x - det < 0 ? low : high) = x;
    }
    const double root = (low + high) / 2;
    const double half = (trace - root) / 2;
    const double rest = minors - root * (trace - root);
    const auto apart = std::sqrt(std::complex<double>(half * half - rest));
    return {root, half + apart, half - apart};
}

}  // namespace

double leastRealEigenvalue(const EigenvalueSetting& setting) {
    if (setting.betaMax > 1 || setting.householders == 1) {
        return 1 - setting.betaMax;
    }
    const int steps = setting.householders;
    return -std::pow(std::cos(std::numbers::pi / steps), steps);
}

bool fillsDisc(const EigenvalueSetting& setting) {
    return setting.betaMax >= 2 && setting.householders >= 2;
}

std::vector<QPointF> sampledEigenvalues(const EigenvalueSetting& setting, int count) {
    std::mt19937 engine(7);
    std::vector<QPointF> points;
    points.reserve(static_cast<std::size_t>(3 * count));
    for (int i = 0; i < count; ++i) {
        Matrix product{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        for (int step = 0; step < setting.householders; ++step) {
            const double beta = setting.betaMax * uniform(engine);
            applyStep(product, beta, onSphere(engine));
        }
        for (const auto& value : eigenvalues(product)) {
            points.emplace_back(value.real(), value.imag());
        }
    }
    return points;
}

EigenvaluePicture::EigenvaluePicture(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    m_setting.householders = 0;
    setSetting({});
}

void EigenvaluePicture::setSetting(EigenvalueSetting setting) {
    if (setting == m_setting) {
        return;
    }
    m_setting = setting;
    m_samples =
        setting.householders > 1 ? sampledEigenvalues(setting, 1500) : std::vector<QPointF>();
    const QString range =
        tr("real eigenvalues from %1 to 1").arg(leastRealEigenvalue(setting), 0, 'g', 3);
    setAccessibleName(tr("Eigenvalues of one token's transition"));
    setAccessibleDescription(fillsDisc(setting)
                                 ? tr("the whole unit disc: rotations, swaps, any permutation step")
                                 : range);
    setToolTip(accessibleDescription());
    update();
}

void EigenvaluePicture::paintEvent(QPaintEvent* /*event*/) {
    const Theme& theme = Theme::of(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QFont small = scaled(font(), 0.86);
    painter.setFont(small);
    const double line = QFontMetricsF(small).height();
    const QRectF area = QRectF(rect()).adjusted(34, 6, -34, -2 * line - 8);
    const double radius = std::max(10.0, std::min(area.width(), area.height()) / 2 - 2);
    const QPointF centre(area.center().x(), area.top() + radius + 2);
    const auto at = [&](double x, double y) { return centre + QPointF(x * radius, -y * radius); };

    painter.setPen(QPen(theme.hairline, 1.2));
    painter.setBrush(fillsDisc(m_setting) ? withAlpha(theme.accent, 0.16) : theme.ground);
    painter.drawEllipse(centre, radius, radius);
    painter.drawLine(at(-1.12, 0), at(1.12, 0));
    painter.drawLine(at(0, -1.05), at(0, 1.05));

    painter.setPen(Qt::NoPen);
    painter.setBrush(withAlpha(theme.accent, 0.34));
    for (const QPointF& point : m_samples) {
        if (std::abs(point.y()) > 1e-6) {
            painter.drawEllipse(at(point.x(), point.y()), 1.2, 1.2);
        }
    }
    const double least = leastRealEigenvalue(m_setting);
    painter.setPen(QPen(theme.accent, 6, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(at(least, 0), at(1, 0));
    for (const double end : {least, 1.0}) {
        painter.setPen(QPen(theme.ground, 1.5));
        painter.setBrush(theme.accent);
        painter.drawEllipse(at(end, 0), 5.5, 5.5);
    }

    painter.setPen(theme.mutedText);
    painter.drawText(QRectF(at(-1.12, 0) - QPointF(34, line / 2), QSizeF(30, line)),
                     Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("−1"));
    painter.drawText(QRectF(at(1.12, 0) + QPointF(4, -line / 2), QSizeF(30, line)),
                     Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("+1"));
    QString says = least >= 0 ? tr("forgets along a key, never flips it")
                              : tr("forgets along a key, barely flips it");
    if (least <= -1) {
        says = tr("β = 2 reflects: a swap in one step");
    }
    if (fillsDisc(m_setting)) {
        says = tr("reflections and rotations: %1 steps a token").arg(m_setting.householders);
    }
    painter.setPen(theme.text);
    const double captionTop = centre.y() + radius + 6;
    painter.drawText(
        QRectF(0, captionTop, width(), line), Qt::AlignCenter,
        tr("real eigenvalues in [%1, 1]")
            .arg(QString::number(least, 'g', 3).replace(QLatin1Char('-'), QChar(0x2212))));
    painter.setPen(theme.mutedText);
    painter.drawText(QRectF(0, captionTop + line, width(), line), Qt::AlignCenter, says);
}

}  // namespace lab::widgets
