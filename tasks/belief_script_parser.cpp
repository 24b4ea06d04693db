// parseScript of belief_script.h: one block a line, by recursive descent over repeats.
#include <charconv>

#include "tasks/belief_script.h"
#include "tasks/text_line.h"

namespace lab::tasks {
namespace {

constexpr const char* kBlockHelp =
    "a block: mix, reveal, look, find, wait, repeat or end; for example \"reveal 2 = 3\"";

constexpr std::int64_t kLargestDenominator = 1'000'000'000'000'000'000;
constexpr std::size_t kMostTerms = 720;

class Parser {
public:
    explicit Parser(std::string_view text) : m_lines(text) {}

    std::variant<BeliefScript, ParseProblem> parse() {
        try {
            readHead();
            readBlocks(m_script.blocks, 0, 0);
        } catch (const ParseProblem& problem) {
            return problem;
        }
        return std::move(m_script);
    }

private:
    [[noreturn]] static void refuse(const TextLine& at, const std::string& expected) {
        throw ParseProblem{at.number(), at.column(),
                           "expected " + expected + ", found " +
                               (isBlank(at) ? "the end of the line" : describeFront(at.rest()))};
    }

    static bool isBlank(const TextLine& line) { return line.atEnd() || line.rest().front() == '#'; }

    /// The next line with something on it, at its first word.
    std::optional<TextLine> nextLine() {
        while (auto line = m_lines.next()) {
            line->skipSpaces();
            if (!isBlank(*line)) {
                return line;
            }
        }
        return std::nullopt;
    }

    static bool takeWord(TextLine& line, std::string_view word) {
        if (line.word() != word) {
            return false;
        }
        line.advance(word.size());
        line.skipSpaces();
        return true;
    }

    static void requireWord(TextLine& line, std::string_view word, const std::string& help) {
        if (!takeWord(line, word)) {
            refuse(line, "\"" + std::string(word) + "\", as in \"" + help + "\"");
        }
    }

    static void requireEnd(const TextLine& line) {
        if (!isBlank(line)) {
            refuse(line, "the end of the line; each block has a line of its own");
        }
    }

    static int readNumber(TextLine& line, int low, int high, const std::string& what) {
        const std::string_view word = line.word();
        int number = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (word.empty() || error != std::errc{} || end != word.data() + word.size() ||
            number < low || number > high) {
            refuse(line, what + " from " + std::to_string(low) + " to " + std::to_string(high));
        }
        line.advance(word.size());
        line.skipSpaces();
        return number;
    }

    int readPoint(TextLine& line, const std::string& what) const {
        return readNumber(line, 1, m_script.cups, what) - 1;
    }

    [[nodiscard]] std::string exampleMove() const {
        return "\"" + Permutation::exchange(m_script.cups, 0, 1).text() + "\"";
    }

    Permutation readPermutation(TextLine& line, const std::string& what) const {
        std::vector<int> images;
        for (const char digit : line.word()) {
            images.push_back(digit - '1');
        }
        const auto found = Permutation::from(images);
        if (!found || found->points() != m_script.cups) {
            refuse(line, what + " of the numbers 1 to " + std::to_string(m_script.cups) +
                             " without spaces, such as " + exampleMove());
        }
        line.advance(images.size());
        line.skipSpaces();
        return *found;
    }

    static Fraction readProbability(TextLine& line) {
        const std::size_t length =
            std::min(line.rest().find_first_not_of("0123456789./"), line.rest().size());
        const auto fraction = fractionFrom(line.rest().substr(0, length));
        if (!fraction || *fraction > 1 || denominator(*fraction) > kLargestDenominator) {
            refuse(line,
                   R"(a probability from 0 to 1 with at most 18 digits, such as "1/2" or "0.25")");
        }
        line.advance(length);
        line.skipSpaces();
        return *fraction;
    }

    void readHead() {
        auto line = nextLine();
        if (!line) {
            throw ParseProblem{m_lines.number() + 1, 1,
                               "expected \"cups 3\" (a number from 2 to 7) as the first line, "
                               "found the end of the text"};
        }
        requireWord(*line, "cups", "cups 3");
        m_script.cups = readNumber(*line, 2, kMostScriptCups, "the number of cups,");
        m_script.start = Permutation(m_script.cups);
        requireEnd(*line);
        for (m_pending = nextLine(); m_pending; m_pending = nextLine()) {
            if (takeWord(*m_pending, "start")) {
                m_script.start = takeWord(*m_pending, "uniform")
                                     ? std::nullopt
                                     : std::optional(readPermutation(
                                           *m_pending, "\"uniform\" or an arrangement"));
            } else if (takeWord(*m_pending, "convention")) {
                readConvention(*m_pending);
            } else {
                break;
            }
            requireEnd(*m_pending);
        }
    }

    void readConvention(TextLine& line) {
        if (takeWord(line, "elements")) {
            m_script.convention = Convention::kElements;
        } else if (takeWord(line, "positions")) {
            m_script.convention = Convention::kPositions;
        } else {
            refuse(line, R"("positions" or "elements": what a move exchanges)");
        }
    }

    /// Up to its "end", or to the end of the text at depth 0. `opened` is the line of the repeat.
    void readBlocks(std::vector<Block>& blocks, int depth, int opened) {
        for (; m_pending; m_pending = nextLine()) {
            if (takeWord(*m_pending, "end")) {
                requireEnd(*m_pending);
                if (depth > 0) {
                    return;
                }
                throw ParseProblem{m_pending->number(), 1,
                                   "this \"end\" closes no repeat: remove it, or write a line "
                                   "\"repeat 10\" above the blocks that it is to close"};
            }
            blocks.push_back(readBlock(*m_pending, depth));
        }
        if (depth > 0) {
            throw ParseProblem{m_lines.number() + 1, 1,
                               "expected \"end\", which closes the repeat of line " +
                                   std::to_string(opened) + ", found the end of the text"};
        }
    }

    Block readBlock(TextLine& line, int depth) {
        if (takeWord(line, "repeat")) {
            return {readRepeat(line, depth)};
        }
        Block block = readPlainBlock(line);
        requireEnd(line);
        return block;
    }

    Repeat readRepeat(TextLine& line, int depth) {
        if (depth == kDeepestRepeat) {
            throw ParseProblem{line.number(), 1,
                               "repeats stand in each other at most " +
                                   std::to_string(kDeepestRepeat) + " deep: write fewer"};
        }
        Repeat repeat;
        const int opened = line.number();
        repeat.times = readNumber(line, 1, kLongestRepeat, "how many times,");
        requireEnd(line);
        m_pending = nextLine();
        readBlocks(repeat.body, depth + 1, opened);
        return repeat;
    }

    Block readPlainBlock(TextLine& line) {
        if (takeWord(line, "mix")) {
            return readMix(line);
        }
        if (takeWord(line, "reveal")) {
            return readReveal(line);
        }
        if (takeWord(line, "look")) {
            if (takeWord(line, "random")) {
                return {Look{}};
            }
            if (takeWord(line, "all")) {
                return {LookAll{}};
            }
            return {Look{readPoint(line, R"("random", "all" or a position)")}};
        }
        if (takeWord(line, "find")) {
            return {Find{readPoint(line, "an element")}};
        }
        if (takeWord(line, "wait")) {
            return {Wait{readNumber(line, 1, kLongestRepeat, "how many steps,")}};
        }
        refuse(line, kBlockHelp);
    }

    Block readReveal(TextLine& line) const {
        const bool all = takeWord(line, "all");
        const int position = all ? 0 : readPoint(line, "\"all\" or a position");
        if (!line.take("=")) {
            refuse(line, all ? R"("=" and an arrangement, as in "reveal all = 231")"
                             : R"("=" and the element there, as in "reveal 2 = 3")");
        }
        line.skipSpaces();
        if (all) {
            return {RevealAll{readPermutation(line, "an arrangement")}};
        }
        return {RevealOne{position, readPoint(line, "the element there,")}};
    }

    Block readMix(TextLine& line) const {
        if (takeWord(line, "uniform")) {
            return {MixUniform{}};
        }
        if (takeWord(line, "random")) {
            requireWord(line, "pair", "mix random pair with 1/2");
            requireWord(line, "with", "mix random pair with 1/2");
            return {MixRandomPair{readProbability(line)}};
        }
        TextLine ahead = line;
        ahead.advance(ahead.word().size());
        ahead.skipSpaces();
        // A move has as many digits as there are cups: two at least.
        return ahead.word().size() == 1 ? readPair(line) : readMoves(line);
    }

    Block readPair(TextLine& line) const {
        MixPair mix;
        mix.first = readPoint(line, "a position");
        const TextLine place = line;
        mix.second = readPoint(line, "a position");
        if (mix.first == mix.second) {
            refuse(place, "another position than the first");
        }
        requireWord(line, "with", "mix 2 3 with 1/2");
        mix.probability = readProbability(line);
        return {mix};
    }

    Block readMoves(TextLine& line) const {
        const TextLine begin = line;
        MixMoves mix;
        Fraction sum = 0;
        do {
            line.skipSpaces();
            if (mix.terms.size() == kMostTerms) {
                refuse(line, "at most " + std::to_string(kMostTerms) + " moves");
            }
            const Fraction probability = readProbability(line);
            mix.terms.push_back({probability, readPermutation(line, "a move")});
            sum += probability;
        } while (line.take(","));
        if (sum != 1) {
            throw ParseProblem{
                begin.number(), begin.column(),
                "the probabilities sum to " + textOf(sum) +
                    ", not to 1: change one of them, or add \"" +
                    (sum < 1 ? textOf(Fraction(1 - sum)) + " " + Permutation(m_script.cups).text()
                             : "0 " + Permutation(m_script.cups).text()) +
                    "\" for nothing moving"};
        }
        return {mix};
    }

    TextLines m_lines;
    std::optional<TextLine> m_pending;  // read, not yet understood
    BeliefScript m_script;
};

}  // namespace

std::variant<BeliefScript, ParseProblem> parseScript(std::string_view text) {
    return Parser(text).parse();
}

}  // namespace lab::tasks
