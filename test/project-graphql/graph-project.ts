import type { Actor } from '../helpers/actors.ts';
import type { GraphQLAnswer, Service } from '../helpers/service.ts';
import { rowsProject } from '../rows/rows-project.ts';

/** A project with tables of a test's own, and its GraphQL endpoint. */
export async function graphProject(service: Service, schema: string) {
  const project = await rowsProject(service, schema);
  const path = `/projects/v1/${project.projectId}/graphql`;
  const ask =
    (actor: Actor) =>
    async (query: string, variables: object = {}): Promise<GraphQLAnswer> =>
      (await service.call<GraphQLAnswer>(actor, 'POST', path, { body: { query, variables } })).body;
  return {
    ...project,
    path,
    /** Asks as somebody. */
    ask,
    /** Asks with the service key. */
    all: ask(project.service),
    /** Asks with the anon key. */
    any: ask(project.anon),
  };
}

export type GraphProject = Awaited<ReturnType<typeof graphProject>>;

/** The data of an answer that has no errors. */
// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
export function dataOf({ data, errors }: GraphQLAnswer): any {
  if (errors !== undefined) throw new Error(JSON.stringify(errors, null, 1));
  return data;
}
