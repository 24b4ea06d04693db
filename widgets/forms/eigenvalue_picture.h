// Where the eigenvalues of one token's transition can lie, in the unit circle.
//
// One delta-rule step I - beta k k^T with |k| = 1 has the eigenvalue 1 - beta along k and 1
// elsewhere: a piece of the real axis. A product of n_h >= 2 such steps can also turn a plane: its
// eigenvalues are then complex, and fill a region inside the unit circle. See eigenvalueRegion.
#pragma once

#include <QPolygonF>
#include <QWidget>
#include <vector>

namespace lab::widgets {

/// For a product of `householders` steps with every beta in [0, betaMax].
struct EigenvalueSetting {
    double betaMax = 2.0;  ///< 1 or 2
    int householders = 1;
    bool operator==(const EigenvalueSetting&) const = default;
};

/// Least real eigenvalue that such a product can have: 1 - betaMax for one step, -1 for betaMax =
/// 2, and -cos(pi/m)^m for a product of m >= 2 steps with beta <= 1.
[[nodiscard]] double leastRealEigenvalue(const EigenvalueSetting& setting);

/// Greatest modulus at angle `theta` in (0, pi) of the complex eigenvalues; 0 for one step.
[[nodiscard]] double reachAtAngle(const EigenvalueSetting& setting, double theta);

class EigenvaluePicture final : public QWidget {
    Q_OBJECT

public:
    explicit EigenvaluePicture(QWidget* parent = nullptr);
    void setSetting(EigenvalueSetting setting);

    [[nodiscard]] QSize sizeHint() const override { return {300, 220}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {180, 150}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    EigenvalueSetting m_setting;
};

}  // namespace lab::widgets
