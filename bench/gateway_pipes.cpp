// The way over stdio: two pipes as an agent makes them, lines in a buffer that is large enough for the largest result.
#include "gateway.hpp"
#include "gateway_client.hpp"

namespace bench {
namespace {

class Pipes : public Way {
public:
    explicit Pipes(std::vector<std::string> const& command) : buffer_(std::size_t{4} << 20U) {
        int in[2], out[2];
        if (::pipe(in) != 0 || ::pipe(out) != 0) give_up("pipe");
        auto const child = ::fork();
        if (child < 0) give_up("fork");
        if (child == 0) become(command, in, out);
        ::close(in[0]), ::close(out[1]);
        to_ = in[1], from_ = out[0];
    }

    void send(std::string_view message) override { (out_ += message) += '\n'; }

    void flush() override {
        write_all(to_, out_);
        out_.clear();
    }

    std::string_view receive() override {
        if (!line_end()) make_room();
        auto searched = begin_;
        auto const* end = line_end();
        for (; end == nullptr; end = newline_in(searched, end_)) {
            searched = end_;
            auto const count = ::read(from_, buffer_.data() + end_, buffer_.size() - end_);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) give_up("the server ended");
            end_ += static_cast<std::size_t>(count);
        }
        std::string_view const line(buffer_.data() + begin_, static_cast<std::size_t>(end - buffer_.data()) - begin_);
        begin_ += line.size() + 1;
        return line;
    }

    [[nodiscard]] bool has_more() const override { return line_end() != nullptr; }

private:
    [[noreturn]] static void become(std::vector<std::string> const& command, int const (&in)[2], int const (&out)[2]) {
        std::vector<char*> words;
        for (auto const& word : command) words.push_back(const_cast<char*>(word.c_str()));
        words.push_back(nullptr);
        ::dup2(in[0], STDIN_FILENO);
        ::dup2(out[1], STDOUT_FILENO);
        for (int const fd : {in[0], in[1], out[0], out[1]}) ::close(fd);
        ::execvp(words[0], words.data());
        give_up(command[0]);
    }

    [[nodiscard]] char const* newline_in(std::size_t begin, std::size_t end) const {
        return static_cast<char const*>(std::memchr(buffer_.data() + begin, '\n', end - begin));
    }
    [[nodiscard]] char const* line_end() const { return newline_in(begin_, end_); }

    void make_room() {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }

    int to_ = -1, from_ = -1;
    std::string out_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0; // of what was read and not yet handed out
};

} // namespace

std::unique_ptr<Way> over_pipes(std::vector<std::string> const& command) {
    return std::make_unique<Pipes>(command);
}

} // namespace bench
