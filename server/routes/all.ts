import { isApiPath } from '../../rest-compat/problem.ts';
import { agentEntries } from '../agents.ts';
import { consoleEntries } from '../console.ts';
import type { HttpOptions } from '../exchange.ts';
import { graphqlEntries } from '../graphql-http.ts';
import { liveEntries } from '../live/answer-live.ts';
import { platformMcpEntries } from '../mcp.ts';
import { ownDocs } from '../own-docs.ts';
import { projectGraphQLEntries } from '../project-graphql.ts';
import { documentedEntries } from './documented.ts';
import { ownEntries } from './own.ts';
import { projectHostEntries } from './project-host.ts';
import { RouteTable } from './table.ts';

/** The one table of everything that is answered over HTTP. @throws Error for entries of which one hides the other */
export function routeTable(options: HttpOptions): RouteTable {
  const own = [
    ...ownEntries(options),
    ...agentEntries(options),
    ...platformMcpEntries(options),
    ...graphqlEntries(options),
    ...projectGraphQLEntries(options),
    ...liveEntries(options),
    ...consoleEntries(options),
  ];
  const silent = own.filter(({ path }) => isApiPath(path) && !ownDocs.some((doc) => doc.path === path));
  if (silent.length > 0)
    throw new Error(`These paths are described nowhere: ${silent.map(({ path }) => path).join(', ')}`);
  return new RouteTable([...own, ...documentedEntries(), ...projectHostEntries(options)]);
}
