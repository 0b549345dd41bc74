import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { templateName } from '../../db/project-template.ts';
import { median, medianRatio, timed } from '../race.ts';
import { below, type Line, line } from '../report.ts';
import { ask, type Stage } from '../stage.ts';

/** Projects made in a round, by each. */
const perRound = 5;

/** A project on a warm server, one after the other; the floor makes its database and its role, no more. */
export async function provision(stage: Stage): Promise<Line[]> {
  const { gateway, dataset, databaseUrl, options } = stage;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const make = async () => {
    const body = JSON.stringify({ name: 'bench', org_id: dataset.writtenOrgId });
    const signed = await dataset.wallet.header({ baseUrl: gateway.url, path: '/projects/v1' });
    const headers = { 'content-type': 'application/json', 'sign-in-with-x': signed };
    return timed(() => ask(gateway, { method: 'POST', path: '/projects/v1', headers, body }));
  };
  const makeBare = () => {
    const name = `bench_${randomBytes(6).toString('hex')}`;
    return timed(async () => {
      await client.query(`create role ${name} login noinherit`);
      await client.query(`create database ${name} template ${templateName}`);
    });
  };
  try {
    // The first of each finds nothing warm.
    await make();
    await makeBare();
    const rounds: { readonly ours: number; readonly reference: number }[] = [];
    for (let round = 0; round < options.rounds * perRound; round++) {
      rounds.push({ ours: await make(), reference: await makeBare() });
    }
    const ours = rounds.map((one) => one.ours);
    const reference = rounds.map((one) => one.reference);
    const name = 'a project on a warm server : create role and create database alone';
    return [
      line({
        row: 'provision',
        name: 'a project on a warm server',
        unit: 'ms',
        ours: median(ours),
        target: below(400),
      }),
      {
        row: 'provision',
        name,
        unit: 'ms',
        ours: median(ours),
        reference: median(reference),
        ratio: medianRatio(ours, reference),
        rounds,
      },
    ];
  } finally {
    await client.end();
  }
}
