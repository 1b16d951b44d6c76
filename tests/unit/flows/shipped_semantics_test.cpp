// The rules that ship: which SQL counts as a read, statement by statement, and which HTTP.
#include "flows/semantics.hpp"
#include "support/temp_dir.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>

#include <chrono>

namespace {

using pfar::flows::Asked;
namespace json = boost::json;

struct Shipped {
    test::TempDir directory; // a copy of ours: the tree may belong to somebody else
    pfar::flows::Semantics semantics{
        {directory.write("semantics.lua", test::read(std::filesystem::path(PFAR_SOURCE) / "scripts/semantics.lua"))}};

    std::string of(std::string_view server, std::string_view tool, json::object const& arguments,
                   std::string_view title = "") {
        auto const text = json::serialize(arguments);
        auto const word = semantics.of(Asked{server, tool, title, "{}", text, false}, "pin");
        if (!word.trouble.empty()) return "trouble: " + word.trouble;
        return !word.semantics ? "nothing" : *word.semantics == pfar::base::Semantics::read ? "read" : "write";
    }
    std::string sql(std::string_view statement) { return of("postgres", "query", {{"sql", statement}}); }
};

} // namespace

TEST_CASE("SQL that only reads is a read") {
    Shipped shipped;
    for (auto const* const statement : {
             "SELECT 1",
             "select * from users;",
             "  SELECT name, count(*) FROM users WHERE age > 18 GROUP BY name HAVING count(*) > 1 ORDER BY 2 DESC "
             "LIMIT 10 ;  ",
             "SELECT * FROM notes WHERE text = 'DROP TABLE users; --'",
             "SELECT 'it''s', \"name\" FROM \"public\".\"users\"",
             "SELECT `a` FROM `t` WHERE b = 'M\xc3\xbcller'",
             "-- the newest\nSELECT max(created_at) FROM t",
             "/* why */ SELECT /* what */ 1",
             "WITH recent AS (SELECT * FROM t WHERE d > now() - interval '1 day') SELECT count(*) FROM recent",
             "WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT * FROM r",
             "EXPLAIN SELECT * FROM t",
             "EXPLAIN QUERY PLAN SELECT * FROM t",
             "SHOW TABLES",
             "DESCRIBE users",
             "SELECT a::date, b[1], c || 'x' FROM t WHERE d = $1 AND e = :name AND f = ?",
             "SELECT replace(a, 'x', 'y') FROM t",
             "SELECT CASE WHEN a > 1 THEN 'insert' ELSE 'x' END FROM t",
             "SELECT * FROM a JOIN b ON (a.id = b.id) LEFT JOIN c USING (id) WHERE a.x IN (1, 2) AND EXISTS (SELECT 1 "
             "FROM d)",
             "SELECT row_number() OVER (PARTITION BY a ORDER BY b) FROM t",
             "SELECT updated_at, deleted, created_by, callback FROM t",
             "SELECT a\nFROM t\nWHERE b = $1 AND c IN ('x', 'y')\nORDER BY 1",
             "SELECT data->>'name', 'x', coalesce(a, 'y') FROM t, u WHERE a = 'z' ORDER BY 1",
             "SELECT * FROM a JOIN b ON a.x = b.x AND b.kind IN ('p', 'q')",
             "SHOW TABLES LIKE 'user%'",
             "SELECT * FROM (SELECT id, 'x' FROM t) AS u",
             "SELECT 1.5, .5, 2., 1e5, 1.5e-3, 0x1f, t1.c2 FROM t1 WHERE t1.x2y = 3",
         }) {
        INFO(statement);
        CHECK(shipped.sql(statement) == "read");
    }
}

TEST_CASE("SQL that writes, may write, or is not understood is a write") {
    Shipped shipped;
    for (auto const* const statement : {
             "select 1e0into t",
             "select 2.e0into x from t",
             "select .5into x from t",
             "select 1e0delete t",
             "select 1e0update t",
             "select 1e5.drop table t",
             "select 1e+0drop table t",
             "select 1e0exec sp_foo",
             "select 0xtruncate table t",
             "select 0xinsert t values(1)",
             "select 1into t",
             "select 1_0delete t",
             "SELECT * FROM ('a.csv' CROSS JOIN 'b.csv')",
             "SELECT a FROM t UNION ALL ('f.csv')",
             "",
             "   ",
             ";",
             "not sql at all",
             "INSERT INTO t VALUES (1)",
             "update t set a = 1",
             "DELETE FROM t",
             "MERGE INTO t USING s ON 1=1",
             "CREATE TABLE t (a int)",
             "DROP TABLE t",
             "TRUNCATE t",
             "GRANT ALL ON t TO x",
             "CALL p()",
             "COPY t TO '/tmp/x'",
             "LOCK TABLE t",
             "SELECT 1; DROP TABLE t",
             "SELECT 1;;SELECT 2",
             "SELECT * INTO copy_of_t FROM t",
             "SELECT * FROM t FOR UPDATE",
             "SELECT 1 INTO OUTFILE '/tmp/x'",
             "SELECT * FROM t LOCK IN SHARE MODE",
             "WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone",
             "WITH x AS (SELECT 1) UPDATE t SET a = 1",
             "EXPLAIN ANALYZE DELETE FROM t",
             "EXPLAIN (ANALYZE) SELECT f()",
             "EXPLAIN ANALYZE SELECT 1",
             "SELECT nextval('s')",
             "SELECT setval('s', 1)",
             "SELECT pg_sleep(10)",
             "SELECT lo_import('/etc/passwd')",
             "SELECT pg_read_file('/etc/passwd')",
             "SELECT * FROM dblink('host=x', 'DROP TABLE t') AS d",
             "SELECT my_function()",
             "SELECT public.my_function()",
             "SELECT public . my_function (1)",
             "SELECT \"pg_sleep\"(1)",
             "SELECT \"pg_sleep\"/**/(1)",
             "SELECT pg_sleep/**/(1)",
             "SELECT pg_sleep -- x\n(1)",
             "SELECT load_extension('x')",
             "SELECT load_file('/etc/passwd')",
             "SELECT 1 -- \n; DROP TABLE t",
             "SELECT 1 --1\n; DROP TABLE t",
             "SELECT 1 /* /* */ ; DROP TABLE t -- */ */",
             "SELECT 1 /*! ; DROP TABLE t */",
             "SELECT 1 /*!50000 INTO OUTFILE 'x' */",
             "SELECT 1 # x\n; DROP TABLE t",
             "SELECT 'a\\'; DROP TABLE t; --'",
             "SELECT E'a\\'; DROP TABLE t; --'",
             "SELECT $$'$$; DROP TABLE t; --'",
             "SELECT $a$ ' $a$; DROP TABLE t",
             "SELECT U&'\\0027'",
             "SELECT E'x'",
             "SELECT 'never closed",
             "SELECT \"never closed",
             "SELECT /* never closed",
             "SELECT 1\xef\xbc\x9b DROP TABLE t",
             "SELECT\xc2\xa0"
             "1",
             "SELECT 1 DROP TABLE t",
             "SELECT 1 EXEC xp_cmdshell 'x'",
             "SELECT @a := 1",
             "SELECT * FROM '/etc/passwd'",
             "SELECT * FROM t, 'http://evil/x'",
             "SELECT * FROM /* x */ 'f.csv'",
             "SELECT * FROM t JOIN 'f.csv' ON 1 = 1",
             "PRAGMA writable_schema = 1",
             "ATTACH 'x' AS y",
             "VACUUM",
             "SET a = 1",
             "BEGIN",
             "DO $$ BEGIN END $$",
             "(SELECT 1)",
             "SELECT `a'b` FROM t; DROP TABLE t --'",
             "SELECT \"a'\" || '; DROP TABLE t --'",
             "REPLACE INTO t VALUES (1)",
             "WITH x AS (SELECT 1) REPLACE INTO t SELECT 1",
             "SELECT seq.NEXTVAL FROM dual",
             "SELECT NEXT VALUE FOR s",
             "SELECT a FROM t PROCEDURE ANALYSE()",
             "TABLE t",
             "VALUES (1)",
             "SELECT 1 \x01",
             "EXPLAIN DELETE FROM t",
             "SHOW CREATE TABLE t",
             "select ''' ' '''; delete from t where true; select ''' ' '''",
             "select * from pragma_optimize",
             "select f$1(5)",
             "select $1(5)",
             "select * from (map a using '/bin/sh -c id' as (b) from t) x",
             "select transform(a) using '/bin/sh -c id' from t",
             "select * from t x join u using 'f'",
             "select 1 end conversation 'g' with cleanup",
             "select 1 disable trigger all on t",
             "select 1 dump transaction db with no_log",
             "select 1\n:!! touch /tmp/x",
             "select 1 from dual\n/\nhost touch /tmp/x",
             "select 1 from dual\n\nhost touch /tmp/x",
             "select 1 from dual\n host touch /tmp/x",
             "select 1\n.shell touch /tmp/x",
             "select * from (select 1), 'x.csv'",
             "select * from a join b on (a.x=b.x), 'f.csv'",
             "select * from a, (select 1 where 1=1) b, 'f.csv'",
             "describe 'x.csv'",
             "select * from \"x.csv\"",
             "show tables ->> undrop table t",
             "show tables ->> select 1",
         }) {
        INFO(statement);
        CHECK(shipped.sql(statement) == "write");
    }
}

TEST_CASE("what else stands in a call of SQL counts too") {
    Shipped shipped;
    CHECK(shipped.of("my-postgres", "query", {{"sql", "SELECT 1"}, {"params", {1}}, {"database", "x"}}) == "read");
    CHECK(shipped.of("my-postgres", "query", {{"sql", "SELECT 1"}, {"then", "DROP TABLE t"}}) == "write");
    CHECK(shipped.of("my-postgres", "query", {{"sql", "SELECT 1"}, {"query", "DROP TABLE t"}}) == "write");
    CHECK(shipped.of("my-postgres", "query", {{"sql", {"SELECT 1"}}}) == "write");
    CHECK(shipped.of("my-postgres", "query", {}) == "write");
    CHECK(shipped.of("my-postgres", "list_tables", {{"sql", "SELECT 1"}}) == "nothing");
    CHECK(shipped.of("my-postgres", "query", {{"sql", "SELECT 1"}, {"page", {{"sql", "DELETE FROM t"}}}}) == "write");
}

TEST_CASE("a tool that keeps a statement, or makes something of it, is not judged by it") {
    Shipped shipped;
    for (auto const* const server : {"postgres", "warehouse"})
        for (auto const* const tool : {"save_sql_snippet", "create_sql_view", "update_sql_alert", "save_query",
                                       "schedule_query", "sql_to_table", "deleteQuery"}) {
            CAPTURE(server, tool);
            CHECK(shipped.of(server, tool, {{"sql", "SELECT 1"}}) == "nothing");
        }
    for (auto const* const tool : {"execute_sql", "executeSql", "run-sql", "pg_execute_query", "read_query",
                                   "mssql_query", "sql", "run_select_query"})
        CHECK(shipped.of("postgres", tool, {{"sql", "SELECT 1"}}) == "read");
}

TEST_CASE("what may write is a write whatever the server's hint says, also behind a comment or another statement") {
    Shipped shipped;
    for (auto const* const statement :
         {"DELETE FROM t", "/* x */ DELETE FROM t", ";DELETE FROM t", "SELECT 1; DELETE FROM t",
          "WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", "-- hello\nDROP TABLE t",
          "PRAGMA journal_mode=DELETE", "pragma user_version(5)", "SELECT * INTO n FROM t",
          "EXPLAIN ANALYZE DELETE FROM t", "#\nDROP TABLE t", "select 1e0delete from t"})
        for (auto const* const tool : {"execute_sql", "sql_console"}) {
            CAPTURE(statement, tool);
            CHECK(shipped.of("warehouse", tool, {{"sql", statement}}) == "write");
            CHECK(shipped.of("warehouse", tool, {{"SQL", statement}}) == "write");
        }
    CHECK(shipped.of("warehouse", "execute_sql", {{"statement", "SELECT 1; DROP TABLE t"}}) == "write");
    CHECK(shipped.of("warehouse", "sql_console", {{"sql", "SELECT f()"}}) == "nothing");
    CHECK(shipped.of("postgres", "query", {{"sql", "PRAGMA table_info(t)"}}) == "read");
}

TEST_CASE("elsewhere a statement is judged only where it is surely one") {
    Shipped shipped;
    CHECK(shipped.of("warehouse", "execute_sql", {{"query", "SELECT 1"}}) == "read");
    CHECK(shipped.of("warehouse", "execute_sql", {{"query", "DROP TABLE t"}}) == "write");
    CHECK(shipped.of("warehouse", "execute_sql", {{"query", "SELECT f()"}}) == "nothing");
    CHECK(shipped.of("warehouse", "query", {{"sql", "SELECT 1"}}) == "read");
    CHECK(shipped.of("notion", "query", {{"query", "select a plan"}}) == "nothing");
    CHECK(shipped.of("notion", "query", {{"query", "update on the plan"}}) == "nothing");
}

TEST_CASE("HTTP of pfar's own server is judged by its method") {
    Shipped shipped;
    CHECK(shipped.of("tracker", "fetch", {{"path", "/"}}, "Read by HTTP") == "read");
    CHECK(shipped.of("tracker", "fetch", {{"path", "/"}, {"method", "HEAD"}}, "Read by HTTP") == "read");
    CHECK(shipped.of("tracker", "fetch", {{"headers", {{"X-HTTP-Method-Override", "DELETE"}}}}, "Read by HTTP") ==
          "write");
    CHECK(shipped.of("tracker", "request", {{"method", "GET"}}, "Write by HTTP") == "read");
    CHECK(shipped.of("tracker", "request", {{"method", "get"}}, "Write by HTTP") == "write");
    CHECK(shipped.of("tracker", "request", {{"method", "GET"}, {"body", "x"}}, "Write by HTTP") == "write");
    CHECK(shipped.of("tracker", "request", {{"method", "POST"}}, "Write by HTTP") == "write");
    CHECK(shipped.of("tracker", "request", {}, "Write by HTTP") == "write");
    CHECK(shipped.of("tracker", "fetch", {{"path", "/x?_method=DELETE"}}, "Read by HTTP") == "write");
    for (auto const* const path :
         {"/x?_method=DELETE", "/x?%5Fmethod=DELETE", "/x?.method=DELETE", "/x?a=b&httpMethod=DELETE",
          "/x?%255fMethod=DELETE", "/x?a;x-http-method-override=PUT", "/x?%6dethod=PUT"}) {
        CAPTURE(path);
        CHECK(shipped.of("tracker", "fetch", {{"path", path}}, "Read by HTTP") == "write");
        CHECK(shipped.of("tracker", "fetch", {{"url", std::string("https://t.example.com") + path}}, "Read by HTTP") ==
              "write");
    }
    for (auto const* const path : {"/methods/a?b=c", "/x?q=which%20method", "/x?q=100%25", "/x?"}) {
        CAPTURE(path);
        CHECK(shipped.of("tracker", "fetch", {{"path", path}}, "Read by HTTP") == "read");
    }
    CHECK(shipped.of("tracker", "fetch", {{"query", {{"_method", "delete"}}}}, "Read by HTTP") == "write");
    CHECK(shipped.of("other", "fetch", {{"path", "/"}}, "Fetch") == "nothing");
}

TEST_CASE("statements made to take long are a write, soon") {
    Shipped shipped;
    for (auto const& statement :
         {std::string(19'000, ' ') + "x", "SELECT " + std::string(19'000, '('), "SELECT " + std::string(19'000, '\''),
          std::string("SELECT 1") + std::string(19'000, ' ') + "x", std::string(250'000, 'x'),
          "SELECT 'a' FROM " + std::string(19'000, ','), "SELECT 1" + std::string(19'000, '\n') + "x"}) {
        auto const begin = std::chrono::steady_clock::now();
        auto const said = shipped.sql(statement);
        CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(1));
        CHECK((said == "write" || said.starts_with("trouble")));
    }
    CHECK(shipped.sql("SELECT 1") == "read");
}
