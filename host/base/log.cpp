// Heavy spdlog headers stay here.
#include "base/log.hpp"

#include "base/redact.hpp"
#include "base/text.hpp"

#include <fmt/format.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <mutex>

namespace pfar::base {
namespace {

constexpr std::array levels{std::pair{"trace", spdlog::level::trace}, std::pair{"debug", spdlog::level::debug},
                            std::pair{"info", spdlog::level::info},   std::pair{"warn", spdlog::level::warn},
                            std::pair{"error", spdlog::level::err},   std::pair{"off", spdlog::level::off}};

spdlog::level::level_enum spdlog_level(LogLevel level) {
    switch (level) {
    case LogLevel::debug:
        return spdlog::level::debug;
    case LogLevel::info:
        return spdlog::level::info;
    case LogLevel::warning:
        return spdlog::level::warn;
    case LogLevel::error:
        break;
    }
    return spdlog::level::err;
}

/// Judges each line once, for all its sinks.
class RedactingLogger final : public spdlog::logger {
public:
    using spdlog::logger::logger;

    void redact_with(std::shared_ptr<Redactor const> redactor) {
        std::scoped_lock const lock(mutex_);
        redactor_.swap(redactor);
    }

private:
    void sink_it_(spdlog::details::log_msg const& line) override {
        auto const redactor = known();
        auto const text = redactor ? redactor->redact({line.payload.data(), line.payload.size()}) : std::nullopt;
        if (!text) return spdlog::logger::sink_it_(line);
        auto redacted = line;
        redacted.payload = *text;
        spdlog::logger::sink_it_(redacted);
    }

    std::shared_ptr<Redactor const> known() {
        std::scoped_lock const lock(mutex_);
        return redactor_;
    }

    std::mutex mutex_;
    std::shared_ptr<Redactor const> redactor_;
};

class LineSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    explicit LineSink(std::function<void(std::string_view)> there) : there_(std::move(there)) {}

private:
    void sink_it_(spdlog::details::log_msg const& line) override {
        spdlog::memory_buf_t text;
        formatter_->format(line, text);
        there_({text.data(), text.size()});
    }
    void flush_() override {}

    std::function<void(std::string_view)> there_;
};

} // namespace

std::vector<std::string_view> log_levels() {
    std::vector<std::string_view> names;
    for (auto const& [name, level] : levels) names.emplace_back(name);
    return names;
}

Result<void> start_log(std::string_view level) {
    auto const* chosen =
        std::find_if(levels.begin(), levels.end(), [&](auto const& known) { return known.first == level; });
    if (chosen == levels.end() && !level.empty())
        return fail(Errc::invalid, fmt::format("unknown log level \"{}\"; it is one of {}", printable(level),
                                               listed(log_levels(), "or")));
    auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
    sink->set_level(level.empty() ? spdlog::level::err : chosen->second);
    auto logger = std::make_shared<RedactingLogger>("pfar", sink);
    logger->set_level(sink->level());
    logger->set_pattern("%^pfar %l%$: %v");
    logger->set_error_handler([](std::string const& /*what*/) {}); // a full disk is told by whoever needs it
    spdlog::set_default_logger(std::move(logger));
    return {};
}

void log_to_file(std::filesystem::path const& directory) {
    auto& logger = *spdlog::default_logger();
    try {
        auto file =
            std::make_shared<spdlog::sinks::rotating_file_sink_mt>((directory / "pfar.log").native(), 1U << 20U, 3);
        file->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %P %l %v");
        file->set_level(std::min(logger.level(), spdlog::level::info));
        logger.sinks().push_back(file);
        logger.set_level(file->level());
        logger.flush_on(spdlog::level::info);
    } catch (spdlog::spdlog_ex const& problem) {
        logger.warn("no log file: {}", problem.what());
    }
}

void log_lines_to(std::function<void(std::string_view line)> there) {
    auto& stderr_sink = spdlog::default_logger()->sinks().front();
    auto sink = std::make_shared<LineSink>(std::move(there));
    sink->set_level(stderr_sink->level());
    sink->set_pattern("pfar %l: %v");
    stderr_sink = std::move(sink);
}

void redact_log(std::shared_ptr<Redactor const> redactor) {
    if (auto const logger = std::dynamic_pointer_cast<RedactingLogger>(spdlog::default_logger()))
        logger->redact_with(std::move(redactor));
}

void log_plugin_line(std::string_view plugin, LogLevel level, std::string_view line) {
    spdlog::log(spdlog_level(level), "[{}] {}", plugin, printable(line));
}

} // namespace pfar::base
