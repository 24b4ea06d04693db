#include "widgets/state_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>

#include "widgets/icons.h"
#include "widgets/paint.h"
#include "widgets/theme.h"

namespace lab::widgets {

StatePanel::StatePanel(QWidget* view)
    : QWidget(view),
      m_icon(new QLabel(this)),
      m_sentence(new QLabel(this)),
      m_details(new QLabel(this)),
      m_progress(new QProgressBar(this)),
      m_button(new QPushButton(this)),
      m_cancel(new QPushButton(tr("Cancel"), this)) {
    m_sentence->setWordWrap(true);
    m_details->setWordWrap(true);
    m_details->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(8);
    m_button->setDefault(true);
    connect(m_button, &QPushButton::clicked, this, &StatePanel::buttonClicked);
    connect(m_cancel, &QPushButton::clicked, this, &StatePanel::cancelClicked);
    view->installEventFilter(this);
    hide();
}

void StatePanel::showEmpty(const QString& sentence, const QString& button) {
    m_details->clear();
    show(State::kEmpty, sentence, button);
}

void StatePanel::showWorking(const QString& sentence, double fraction) {
    m_details->clear();
    m_progress->setRange(0, fraction < 0 ? 0 : 1000);
    if (fraction >= 0) {
        m_progress->setValue(static_cast<int>(std::lround(1000 * fraction)));
    }
    show(State::kWorking, sentence, {});
}

void StatePanel::showStale(const QString& sentence, const QString& button) {
    m_details->clear();
    show(State::kStale, sentence, button);
}

void StatePanel::showError(const QString& sentence, const QString& details, const QString& button) {
    m_details->setText(details);
    show(State::kError, sentence, button);
}

void StatePanel::clear() {
    hide();
}

void StatePanel::show(State state, const QString& sentence, const QString& button) {
    const bool same = isVisibleTo(parentWidget()) && state == m_state &&
                      m_sentence->text() == sentence && m_button->text() == button;
    if (same && state == State::kWorking) {
        return;
    }
    m_state = state;
    m_sentence->setText(sentence);
    m_button->setText(button);
    m_button->setVisible(!button.isEmpty());
    m_cancel->setVisible(state == State::kWorking);
    m_progress->setVisible(state == State::kWorking);
    m_details->setVisible(!m_details->text().isEmpty());
    const bool covers = state == State::kEmpty || state == State::kWorking;
    m_icon->setVisible(!covers);
    m_icon->setPixmap(
        lineIcon(state == State::kError ? QStringLiteral("error") : QStringLiteral("warning"))
            .pixmap(20, 20));
    delete layout();
    if (covers) {
        auto* column = new QVBoxLayout(this);
        column->addStretch();
        for (QWidget* part :
             {static_cast<QWidget*>(m_sentence), static_cast<QWidget*>(m_progress)}) {
            column->addWidget(part, 0, Qt::AlignHCenter);
        }
        auto* buttons = new QHBoxLayout;
        buttons->addStretch();
        buttons->addWidget(m_button);
        buttons->addWidget(m_cancel);
        buttons->addStretch();
        column->addSpacing(10);
        column->addLayout(buttons);
        column->addStretch();
        m_sentence->setAlignment(Qt::AlignCenter);
        m_progress->setMinimumWidth(220);
    } else {
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins(14, 8, 10, 8);
        row->addWidget(m_icon, 0, Qt::AlignTop);
        auto* words = new QVBoxLayout;
        words->addWidget(m_sentence);
        words->addWidget(m_details);
        row->addLayout(words, 1);
        row->addWidget(m_button, 0, Qt::AlignTop);
        m_sentence->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    }
    setAccessibleName(sentence);
    place();
    raise();
    QWidget::show();
}

void StatePanel::place() {
    const QSize view = parentWidget()->size();
    if (m_state == State::kEmpty || m_state == State::kWorking) {
        m_sentence->setFixedWidth(qMax(140, qMin(440, view.width() - 40)));
        setGeometry(QRect(QPoint(0, 0), view));
    } else {
        m_sentence->setMinimumWidth(0);
        m_sentence->setMaximumWidth(QWIDGETSIZE_MAX);
        const int tall = layout() == nullptr ? 40
                         : layout()->hasHeightForWidth()
                             ? layout()->totalHeightForWidth(view.width())
                             : layout()->totalSizeHint().height();
        setGeometry(0, 0, view.width(), tall);
    }
}

bool StatePanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget() && event->type() == QEvent::Resize &&
        isVisibleTo(parentWidget())) {
        place();
    }
    return QWidget::eventFilter(watched, event);
}

void StatePanel::paintEvent(QPaintEvent* /*event*/) {
    const Theme& theme = Theme::of(palette());
    QPainter painter(this);
    if (m_state == State::kEmpty || m_state == State::kWorking) {
        painter.fillRect(rect(), withAlpha(theme.ground, m_state == State::kEmpty ? 1.0 : 0.86));
        return;
    }
    const QColor mood = m_state == State::kError ? theme.bad : theme.warning;
    painter.fillRect(rect(), mixed(theme.raised, mood, 0.12));
    painter.fillRect(0, 0, 4, height(), mood);
    painter.fillRect(0, height() - 1, width(), 1, theme.hairline);
}

}  // namespace lab::widgets
