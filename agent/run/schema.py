"""The run's SQLite file: tables, and how an older file becomes a current one.

Attempts are planned first and never deleted. A finished generation and a finished judgement are one
durable append each, so a kill loses at most what was still running. An attempt is *done* when it
has a generation and, if that has a submission, a judgement under judging 1. Everything else is
*owed*. Totals always derive from rows.
"""

from __future__ import annotations

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;  -- values are JSON

    CREATE TABLE problems (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      title TEXT NOT NULL,
      difficulty TEXT NOT NULL,
      time_limit_s REAL NOT NULL,
      memory_limit_bytes INTEGER NOT NULL,
      digest TEXT NOT NULL,          -- of everything that can change a verdict
      info TEXT NOT NULL             -- JSON: tags, source, cluster, statement, kind
    );
    CREATE TABLE problem_tests (     -- in judging order (by input length)
      problem INTEGER NOT NULL REFERENCES problems,
      position INTEGER NOT NULL,
      name TEXT NOT NULL,
      input_bytes INTEGER NOT NULL,
      sample INTEGER NOT NULL,
      PRIMARY KEY (problem, position)
    ) WITHOUT ROWID;

    CREATE TABLE cells (             -- model x mode
      id INTEGER PRIMARY KEY,
      model TEXT NOT NULL,           -- as the user wrote it: ckpt_alpha1.5
      family TEXT,                   -- ckpt; NULL when the model is not a member of a family
      alpha REAL,
      mode TEXT NOT NULL,
      mode_hash TEXT NOT NULL,       -- template, tools, limits, sampling
      settings TEXT NOT NULL,        -- JSON: limits, sampling, prompt (exact), tools
      identity TEXT NOT NULL,        -- JSON: what was really served (weights hash, template, flags)
      UNIQUE (model, mode)
    );

    CREATE TABLE attempts (          -- the plan
      id INTEGER PRIMARY KEY,
      cell INTEGER NOT NULL REFERENCES cells,
      problem INTEGER NOT NULL REFERENCES problems,
      sample INTEGER NOT NULL,
      seed INTEGER NOT NULL,
      UNIQUE (cell, problem, sample)
    );

    CREATE TABLE submissions (
      id INTEGER PRIMARY KEY,
      hash TEXT NOT NULL UNIQUE,     -- sha256 of language, NUL, source
      language TEXT NOT NULL,
      source TEXT NOT NULL
    );

    CREATE TABLE generations (       -- a finished attempt, before judging
      attempt INTEGER PRIMARY KEY REFERENCES attempts,
      ended_at REAL NOT NULL,        -- unix seconds
      "end" TEXT NOT NULL,           -- agent.modes.End
      submission INTEGER REFERENCES submissions,   -- NULL: no submission
      prompt_tokens INTEGER NOT NULL,
      completion_tokens INTEGER NOT NULL,
      reasoning_tokens INTEGER NOT NULL,
      turns INTEGER NOT NULL,
      tool_calls INTEGER NOT NULL,
      wall_s REAL NOT NULL,
      working_s REAL NOT NULL,
      notes TEXT NOT NULL            -- JSON
    );
    CREATE TABLE transcripts (attempt INTEGER PRIMARY KEY REFERENCES attempts, body BLOB NOT NULL);
                                     -- zlib of UTF-8 JSON: a list of messages and tool results

    CREATE TABLE judgings (          -- 1 is the run's own; a re-judging adds one
      id INTEGER PRIMARY KEY,
      created_at REAL NOT NULL,
      settings TEXT NOT NULL         -- JSON: limits, all_tests, sandbox, compilers, machine
    );
    CREATE TABLE judgements (        -- identical submissions to one problem are judged once
      id INTEGER PRIMARY KEY,
      judging INTEGER NOT NULL REFERENCES judgings,
      problem INTEGER NOT NULL REFERENCES problems,
      submission INTEGER NOT NULL REFERENCES submissions,
      judged_at REAL NOT NULL,
      verdict TEXT NOT NULL,         -- AC WA TLE MLE RE OLE ILE CE; never IE (that stays owed)
      outcome TEXT NOT NULL,         -- attribution `first`
      any_wrong TEXT,                -- attribution `any_wrong`; NULL unless all tests ran
      coverage INTEGER NOT NULL,     -- bit k-1 set: R_k = 1 for k = 1..6; bit 6: full
      passed INTEGER NOT NULL,       -- tests that passed
      max_time_ratio REAL,           -- of tests that passed: largest CPU time / limit
      max_memory_ratio REAL,
      detail TEXT NOT NULL,          -- JSON: compile output, messages, growth exponent,
                                     -- time_limit_s: the limit that applied
      UNIQUE (judging, problem, submission)
    );
    CREATE TABLE test_results (
      judgement INTEGER NOT NULL REFERENCES judgements,
      position INTEGER NOT NULL,
      verdict TEXT NOT NULL,
      cpu_s REAL NOT NULL,
      wall_s REAL NOT NULL,
      peak_bytes INTEGER NOT NULL,
      PRIMARY KEY (judgement, position)
    ) WITHOUT ROWID;

    CREATE TABLE errors (            -- infrastructure trouble; the attempt stays owed
      id INTEGER PRIMARY KEY,
      attempt INTEGER REFERENCES attempts,
      at REAL NOT NULL,
      stage TEXT NOT NULL,           -- model | sandbox | judge
      message TEXT NOT NULL
    );

    CREATE VIEW outcomes AS          -- one row per planned attempt, under the run's own judging
    SELECT a.id AS attempt, c.id AS cell, c.model, c.family, c.alpha, c.mode,
           p.id AS problem, p.name AS problem_name, p.difficulty, a.sample,
           CASE WHEN g.attempt IS NULL THEN NULL
                WHEN g.submission IS NULL THEN 'no_submission'
                ELSE j.outcome END AS outcome,      -- NULL: owed
           j.verdict, j.any_wrong, j.coverage, g."end" AS "end",
           g.prompt_tokens, g.completion_tokens, g.reasoning_tokens, g.turns, g.tool_calls,
           g.wall_s, g.working_s, g.submission, j.id AS judgement,
           (SELECT COUNT(*) FROM errors e WHERE e.attempt = a.id) AS errors
    FROM attempts a
    JOIN cells c ON c.id = a.cell
    JOIN problems p ON p.id = a.problem
    LEFT JOIN generations g ON g.attempt = a.id
    LEFT JOIN judgements j
      ON j.judging = 1 AND j.problem = a.problem AND j.submission = g.submission;
    """,
)

VERSION = len(MIGRATIONS)
