import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { schemaFindings } from '../../scripts/schema-lint.ts';

const folder = await mkdtemp(join(tmpdir(), 'svc-schema-lint-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the printed schema keeps the rules of graphql-eslint', async () => {
  expect(await schemaFindings()).toEqual([]);
});

test('the check finds a schema that breaks the rules', async () => {
  const path = join(folder, 'broken.graphql');
  await writeFile(
    path,
    `type Query {
  "Every note."
  getNotes: NoteConnection
}

"A page of notes."
type NoteConnection {
  "The notes."
  edges: [NoteRow]
}

"A note of a page."
type NoteRow {
  "Text of the note."
  text: String
}
`,
  );
  const findings = await schemaFindings(path);
  const rules = findings.map((finding) => /@graphql-eslint\/([\w-]+)\)$/.exec(finding)?.[1]);
  expect(rules).toEqual(
    expect.arrayContaining(['naming-convention', 'require-description', 'relay-connection-types', 'relay-edge-types']),
  );
});
