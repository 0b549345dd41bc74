import { isApiPath } from '../../rest-compat/problem.ts';
import { agentEntries } from '../agents.ts';
import { consoleEntries } from '../console.ts';
import { contentEntries } from '../content.ts';
import type { HttpOptions } from '../exchange.ts';
import { graphqlEntries } from '../graphql-http.ts';
import { FileSender } from '../hosting/send-file.ts';
import { liveEntries } from '../live/answer-live.ts';
import { platformMcpEntries } from '../mcp.ts';
import { ownDocs } from '../own-docs.ts';
import { projectGraphQLEntries } from '../project-graphql.ts';
import { blobEntries } from './blobs.ts';
import { cardEventEntries } from './card-events.ts';
import { documentedEntries } from './documented.ts';
import { functionEntries } from './functions.ts';
import { ownEntries } from './own.ts';
import { projectHostEntries } from './project-host.ts';
import { siteEntries } from './site.ts';
import { RouteTable } from './table.ts';

/** The one table of everything that is answered over HTTP. @throws Error for entries of which one hides the other */
export function routeTable(options: HttpOptions): RouteTable {
  const sender = new FileSender(options.services);
  const sites = siteEntries(options, sender);
  const own = [
    ...ownEntries(options),
    ...agentEntries(options),
    ...platformMcpEntries(options),
    ...graphqlEntries(options),
    ...projectGraphQLEntries(options),
    ...liveEntries(options),
    ...contentEntries(options),
    ...functionEntries,
    ...cardEventEntries,
    ...consoleEntries(options),
    ...sites.byPath,
  ];
  const silent = own.filter(({ path }) => isApiPath(path) && !ownDocs.some((doc) => doc.path === path));
  if (silent.length > 0)
    throw new Error(`These paths are described nowhere: ${silent.map(({ path }) => path).join(', ')}`);
  const table = new RouteTable(
    [...own, ...documentedEntries(sender), ...blobEntries(options, sender), ...projectHostEntries(options)],
    sites,
  );
  // What explains addresses knows those of the platform, too.
  options.services.sites.platformStatus = (method, path) => table.platformStatus(method, path);
  return table;
}
