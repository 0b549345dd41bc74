import { ServiceError } from '../../core/errors.ts';
import { PathTable } from '../../rest-compat/path-table.ts';
import type { Entry, Params } from './entry.ts';

/** Everything that the gateway answers, by the kind of host, the method and the path of a request. */
export class RouteTable {
  readonly gateway: PathTable<Entry>;
  readonly project: PathTable<Entry>;

  /** @throws Error for entries of which one hides the other */
  constructor(entries: readonly Entry[]) {
    this.gateway = new PathTable(entries.filter(({ host }) => host === 'gateway'));
    this.project = new PathTable(entries.filter(({ host }) => host === 'project'));
  }

  /** Whether a path is answered under a name that no project has claimed, too. */
  answersUnderAnyName(path: string): boolean {
    return this.gateway.owned(path)?.byMethod.GET?.underAnyName === true;
  }

  /** Whether a path has more to say to OPTIONS than a preflight. */
  answersOptions(path: string): boolean {
    return this.gateway.owned(path)?.byMethod.OPTIONS !== undefined;
  }

  /** The parameters of a path that opens a WebSocket. @throws ROUTE_NOT_FOUND */
  socketAt(path: string): Params {
    const found = this.gateway.owned(path);
    if (found?.byMethod.GET?.opensSocket === true) return found.params;
    throw new ServiceError('ROUTE_NOT_FOUND', { details: { path } });
  }
}

/** The name that metrics give an entry. */
export const labelOf = ({ label, path }: Entry): string => label ?? path;
