import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fatalAttacks } from './attacks/fatal.ts';
import { insideAttacks } from './attacks/inside.ts';
import { networkAttacks } from './attacks/network.ts';
import { answerOf, identities, makeStage, type Stage } from './identities.ts';

interface Report {
  readonly outcomes: Readonly<Record<string, string>>;
  readonly after: { readonly neighbour: string; readonly visits: number; readonly lines: number };
}

const attacks = [...insideAttacks, ...networkAttacks, ...fatalAttacks];

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});
afterAll(() => stage.remove());

// Attacks need walls: where a machine has no namespaces, launch.test.ts tells so.
describe.runIf(process.platform === 'linux').each(identities)('hostile code in a box of %s', (identity) => {
  let report: Report;
  beforeAll(async () => {
    report = (await answerOf(stage.start(identity, 'attacks.ts'))) as Report;
  });

  test.each(attacks)('does not $name', ({ name, outcome }) => {
    expect(report.outcomes[name]).toMatch(outcome);
  });

  test('reaches nothing on the machine, and its neighbour is well', () => {
    expect(report.after).toMatchObject({ neighbour: 'well', visits: 0 });
  });
});

test('there are no two attacks of one name', () => {
  expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length);
  expect(attacks.length).toBeGreaterThan(100);
});
