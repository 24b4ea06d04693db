// What is known about a design before it is trained: names and values in two columns.
#pragma once

#include <QWidget>
#include <vector>

class QGridLayout;

namespace lab::widgets {

struct Fact {
    QString name;
    QString value;  ///< with its unit
    QString help;   ///< tool tip
    bool operator==(const Fact&) const = default;
};

class FactsTable final : public QWidget {
    Q_OBJECT

public:
    explicit FactsTable(QWidget* parent = nullptr);
    void setFacts(const std::vector<Fact>& facts);

private:
    QGridLayout* m_grid;  // child of this
    std::vector<Fact> m_facts;
};

}  // namespace lab::widgets
