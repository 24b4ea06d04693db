// Where the eigenvalues of one token's transition can lie, in the unit circle.
//
// One delta-rule step I - beta k k^T with |k| = 1 has the eigenvalue 1 - beta along k and 1
// elsewhere: a piece of the real axis. A product of n_h >= 2 steps can be anything inside the unit
// circle when beta may reach 2 (two reflections make any rotation); with beta <= 1 it is a product
// of n_h contractions, whose real eigenvalues are at least -cos(pi/n_h)^n_h. What lies between is
// shown by eigenvalues of random products.
#pragma once

#include <QPointF>
#include <QWidget>
#include <vector>

namespace lab::widgets {

/// For a product of `householders` steps with every beta in [0, betaMax].
struct EigenvalueSetting {
    double betaMax = 2.0;  ///< 1 or 2
    int householders = 1;
    bool operator==(const EigenvalueSetting&) const = default;
};

/// The least real eigenvalue that such a product can have.
[[nodiscard]] double leastRealEigenvalue(const EigenvalueSetting& setting);

/// Whether every point of the unit disc is an eigenvalue of some product.
[[nodiscard]] bool fillsDisc(const EigenvalueSetting& setting);

/// Eigenvalues (x real, y imaginary part) of `count` random products in three dimensions, keys
/// uniform on the sphere, betas uniform; three points a product. The same for every call.
[[nodiscard]] std::vector<QPointF> sampledEigenvalues(const EigenvalueSetting& setting, int count);

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
    std::vector<QPointF> m_samples;
};

}  // namespace lab::widgets
