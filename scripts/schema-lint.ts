import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import graphql from '@graphql-eslint/eslint-plugin';
import { ESLint, type Linter } from 'eslint';

const printed = fileURLToPath(new URL('../schema/schema.graphql', import.meta.url));

/**
 * Two presets of graphql-eslint: the rules that it recommends for schemas, and those that Relay expects of them. Each
 * rule that is not taken as it comes has its reason here.
 */
const rules = {
  ...graphql.configs['flat/schema-recommended'].rules,
  ...graphql.configs['flat/schema-relay'].rules,
  // A type has an id where `node(id)` can read it again. Parts of an answer, connections, edges and outcomes of
  // mutations have no identity of their own, and Relay asks none of them.
  '@graphql-eslint/strict-id-in-types': 'off',
  // `Project.projectId` is the native id, which REST and the SDK take; `id` is the global one, which Relay wants. Clients
  // read both names. test/graphql/conventions.test.ts allows the prefix for native ids alone.
  '@graphql-eslint/no-typename-prefix': 'off',
  '@graphql-eslint/relay-edge-types': [
    'error',
    {
      withEdgeSuffix: true,
      // A node is an object that can be read by its id alone. Entries of a log, rows of a ledger and attempts are read as a
      // part of their list; delegates, grants and contacts have no operation that reads a single one; an escalation and an
      // error are read under their organization or project. The convention test names these types, so a new one is a decision.
      shouldImplementNode: false,
      // Lists of texts and numbers have no cursors, and neither have the parts of an answer that is given whole. The
      // convention test names each list of objects that is no connection.
      listTypeCanWrapOnlyEdgeType: false,
    },
  ],
} as Linter.RulesRecord;

/** Findings in a schema that is written out, as `file:line: words`. @param path @default the printed schema */
export async function schemaFindings(path: string = printed): Promise<string[]> {
  const eslint = new ESLint({
    cwd: dirname(path),
    overrideConfigFile: true,
    overrideConfig: {
      files: ['**/*.graphql'],
      languageOptions: { parser: graphql.parser, parserOptions: { graphQLConfig: { schema: path } } },
      plugins: { '@graphql-eslint': graphql as object },
      linterOptions: { noInlineConfig: true },
      rules,
    },
  });
  const results = await eslint.lintFiles([basename(path)]);
  return results.flatMap(({ messages }) =>
    messages.map(({ line, message, ruleId }) => `${basename(path)}:${line}: ${message} (${ruleId ?? 'parser'})`),
  );
}
