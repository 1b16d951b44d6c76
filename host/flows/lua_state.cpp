#include "flows/lua_state.hpp"

#include "base/files.hpp"
#include "base/ownership.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

namespace pfar::flows {
namespace {

constexpr int hook_interval = 250;
constexpr std::uint32_t charges_between =
    256; // looks at the clock: a library function may call others for long, without an instruction
constexpr std::size_t largest_script = std::size_t{256} << 10U;
constexpr std::size_t longest_trouble = 500;
constexpr char used_up[] = "the budget is used up"; // short: Lua keeps one of it, so raising it allocates nothing

std::int64_t processor_time() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

void count_hook(lua_State* lua, lua_Debug* /*where*/);

/// Safe in the allocator too: setting a hook allocates nothing.
void mark_exhausted(Meter& meter) {
    meter.exhausted = true;
    meter.left = 0;
    if (meter.running != nullptr) lua_sethook(meter.running, count_hook, LUA_MASKCOUNT, 1);
}

void take(Meter& meter, std::uint64_t steps) {
    if (meter.left > steps)
        meter.left -= steps;
    else if (!meter.exhausted)
        mark_exhausted(meter);
}

void count_hook(lua_State* lua, lua_Debug* /*where*/) {
    auto& meter = meter_of(lua);
    if (!meter.exhausted) {
        take(meter, hook_interval);
        if (processor_time() > meter.deadline) mark_exhausted(meter);
    }
    if (meter.exhausted) exhaust(lua);
}

/// Anchors the words, so that raising them needs no memory.
int keep_words(lua_State* lua) {
    lua_pushstring(lua, used_up);
    lua_setfield(lua, LUA_REGISTRYINDEX, "pfar.used_up");
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_pushvalue(lua, 1);
    lua_call(lua, 1, 0);
    return 0;
}

} // namespace

Meter& meter_of(lua_State* lua) {
    return **static_cast<Meter**>(lua_getextraspace(lua));
}

void charge(lua_State* lua, std::uint64_t steps) {
    auto& meter = meter_of(lua);
    if (meter.lifted) return;
    take(meter, steps);
    if (++meter.charges % charges_between == 0 && processor_time() > meter.deadline) mark_exhausted(meter);
    if (meter.exhausted) exhaust(lua);
}

void exhaust(lua_State* lua) {
    auto& meter = meter_of(lua);
    if (!meter.exhausted) mark_exhausted(meter);
    lua_pushstring(lua, used_up);
    lua_error(lua);
    std::abort(); // lua_error does not return
}

void* LuaState::allocate(void* ours, void* block, std::size_t before, std::size_t after) {
    auto& meter = *static_cast<Meter*>(ours);
    if (block == nullptr) before = 0; // it says what the block is for then
    if (after == 0) {
        std::free(block);
        meter.memory -= before;
        return nullptr;
    }
    if (!meter.lifted && after > before) {
        take(meter, after / 16);
        if (meter.memory + (after - before) > meter.most) {
            take(meter, meter.memory / 16); // a whole collection follows, and may be provoked again
            return nullptr;
        }
    }
    auto* const made = std::realloc(block, after);
    if (made == nullptr) return after <= before ? block : nullptr; // Lua counts on it that shrinking works
    meter.memory += after - before;
    return made;
}

Result<std::unique_ptr<LuaState>> LuaState::open(lua_CFunction set_up, void* what) {
    std::unique_ptr<LuaState> out(new LuaState);
    out->lua_ = lua_newstate(allocate, &out->meter_);
    if (out->lua_ == nullptr) return fail(Errc::internal, "there is no memory for a script's state");
    *static_cast<Meter**>(lua_getextraspace(out->lua_)) = &out->meter_;
    lua_pushcfunction(out->lua_, set_up);
    lua_pushcclosure(out->lua_, keep_words, 1);
    lua_pushlightuserdata(out->lua_, what);
    if (auto const status = lua_pcall(out->lua_, 1, 0, 0); status != LUA_OK)
        return fail(Errc::internal, "a script's state could not be set up: " + out->trouble(out->lua_, status));
    return out;
}

LuaState::~LuaState() {
    meter_.lifted = true;
    if (lua_ != nullptr) lua_close(lua_);
}

void LuaState::refill(Budget const& budget, lua_State* thread) {
    meter_.left = budget.steps;
    meter_.guards = 0;
    meter_.most = budget.memory;
    meter_.deadline = processor_time() + std::chrono::nanoseconds(budget.time).count();
    meter_.running = thread;
    lua_sethook(thread, count_hook, LUA_MASKCOUNT, hook_interval);
}

Result<void> LuaState::load(std::string_view text, std::string const& name, int environment) {
    environment = lua_absindex(lua_, environment);
    begin();
    auto const status = luaL_loadbufferx(lua_, text.data(), text.size(), ("=" + name).c_str(), "t");
    end();
    if (status == LUA_OK && !meter_.exhausted) {
        lua_pushvalue(lua_, environment);
        lua_setupvalue(lua_, -2, 1);
        return {};
    }
    auto const words = trouble(lua_, status);
    lua_pop(lua_, 1);
    return fail(Errc::invalid, words);
}

std::string LuaState::trouble(lua_State* thread, int status) const {
    if (meter_.exhausted) return "it used up its budget of steps: does it end?";
    if (status == LUA_ERRMEM) return "it used up its memory";
    switch (lua_type(thread, -1)) {
    case LUA_TSTRING: {
        std::size_t size = 0;
        auto const* const text = lua_tolstring(thread, -1, &size);
        return base::printable(base::whole_text({text, size}, longest_trouble));
    }
    case LUA_TNUMBER:
        return fmt::format("it raised the number {}", lua_tonumber(thread, -1));
    default:
        return fmt::format("it raised a {}", luaL_typename(thread, -1));
    }
}

Result<std::string> read_script(std::filesystem::path const& file) {
    PFAR_TRY(place, base::only_ours(file, base::Strictness::private_group));
    PFAR_TRY(text, base::read_file(place, largest_script));
    auto const name = base::printable(file.filename().native());
    if (text.find('\0') != std::string::npos || text.starts_with(LUA_SIGNATURE))
        return fail(Errc::invalid, name + " is not a text; scripts are run from their source only");
    if (!base::is_utf8(text)) return fail(Errc::invalid, name + " is not UTF-8; save it as UTF-8");
    return text;
}

} // namespace pfar::flows
