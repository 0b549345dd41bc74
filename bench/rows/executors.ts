import type { HttpRequest } from '../load-protocol.ts';
import { type Contender, race } from '../race.ts';
import { atLeast, compare, type Line } from '../report.ts';
import type { Stage } from '../stage.ts';
import { answerAlike, deepQuery, queries, smallQuery } from './queries.ts';

const membersQuery = `query ($id: ID!) { project(id: $id) { id name organization { orgId displayName } } }`;

/** A document from which several projects are read by aliases, without anything below them. */
const wideQuery = `query ($id: ID!) { ${Array.from({ length: 8 }, (_, n) => `p${n}: project(id: $id) { id name }`).join(' ')} }`;

/** More documents than the gateway remembers, so that each has to be prepared anew. */
const strangers = 2_500;

const shapes = { small: smallQuery, nested: membersQuery, wide: wideQuery, deep: deepQuery } as const;

/** The plans of queries against GraphQL's own executor and against graphql-jit, in one process; see `subjects/executor.ts`. */
export async function executors(stage: Stage): Promise<Line[]> {
  const { authorization } = stage.dataset;
  const lines: Line[] = [];
  const measure = async (shape: string, requestsBy: (executor: string) => readonly HttpRequest[]) => {
    const by = (executor: string): Contender => ({ server: stage.gateway, requests: requestsBy(executor) });
    const contenders = { plans: by('plans'), plain: by('plain'), jit: by('jit') };
    await answerAlike(...Object.values(contenders));
    const seen = await race(stage, contenders, 16);
    for (const [reference, name] of [
      ['plain', 'GraphQL.js'],
      ['jit', 'graphql-jit'],
    ] as const)
      lines.push(
        ...compare('executors', seen, {
          name: `${shape} query, by its plan : by ${name}`,
          ours: 'plans',
          reference,
          target: atLeast(1.1),
        }),
      );
  };
  const named = (query: string, executor: string) => query.replace('query', `query ${executor}`);
  for (const [shape, query] of Object.entries(shapes))
    await measure(shape, (executor) => queries(stage, '/graphql', named(query, executor), { authorization }));
  await measure('new deep', (executor) => {
    const known = queries(stage, '/graphql', named(deepQuery, executor), { authorization });
    return Array.from({ length: strangers }, (_, n) => {
      const request = known[n % known.length]!;
      return { ...request, body: request.body!.replace('edges { node { key', `edges { node { key${n}: key key`) };
    });
  });
  return lines;
}
