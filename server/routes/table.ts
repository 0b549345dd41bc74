import { ServiceError } from '../../core/errors.ts';
import { isPlatformPath } from '../../engines/hosting/request-path.ts';
import { PathTable } from '../../rest-compat/path-table.ts';
import type { Entry, Params } from './entry.ts';
import type { SiteEntries } from './site.ts';

/** Everything that the gateway answers, by the kind of host, the method and the path of a request. */
export class RouteTable {
  readonly gateway: PathTable<Entry>;
  readonly project: PathTable<Entry>;
  /** Answers what is a project's own, under its hosts. */
  readonly site: Entry;
  /** Answers a request whose answer is at hand. @returns whether it did */
  readonly answerNow: SiteEntries['answerNow'];

  /** @throws Error for entries of which one hides the other */
  constructor(entries: readonly Entry[], { site, answerNow }: Pick<SiteEntries, 'site' | 'answerNow'>) {
    this.site = site;
    this.answerNow = answerNow;
    this.gateway = new PathTable(entries.filter(({ host }) => host === 'gateway'));
    this.project = new PathTable(entries.filter(({ host }) => host === 'project'));
  }

  /** Whether a path of a project's host is the project's own, rather than one of the platform. */
  isOfSite(path: string): boolean {
    return !isPlatformPath(path) && !this.project.has(path);
  }

  /** The status of a path that the platform answers itself on every project's host; undefined for one of the site. */
  platformStatus(method: string, path: string): number | undefined {
    if (this.isOfSite(path)) return undefined;
    try {
      this.project.match(method, path);
      return 200;
    } catch (error) {
      return error instanceof ServiceError ? error.status : 500;
    }
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
