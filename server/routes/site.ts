import type { IncomingMessage } from 'node:http';
import type { Exchange, HttpOptions } from '../exchange.ts';
import { siteLabel } from '../hosting/hot-files.ts';
import type { FileSender } from '../hosting/send-file.ts';
import { SiteServer } from '../hosting/serve-site.ts';
import type { Answer } from '../respond.ts';
import { findTenantHost } from '../tenant-hosts.ts';
import type { Entry, Params } from './entry.ts';

/** What releases of projects answer. */
export interface SiteEntries {
  /** Whatever path of a project's hosts the platform does not answer itself. */
  readonly site: Entry;
  /** Sites below a path of the gateway, in development. */
  readonly byPath: readonly Entry[];
  /** Answers a request whose answer is at hand. @returns whether it did */
  readonly answerNow: (request: IncomingMessage, response: Answer, startedAt: number) => boolean;
}

export function siteEntries(options: HttpOptions, sender: FileSender): SiteEntries {
  const server = new SiteServer(options, sender);
  const line = { method: '*', label: siteLabel, auth: 'none' } as const;
  return {
    site: {
      ...line,
      host: 'project',
      path: '/*',
      run: (exchange: Exchange) => server.serve(exchange, { host: exchange.project!, path: exchange.path, base: '' }),
    },
    byPath: options.sitesByPath
      ? [
          {
            ...line,
            host: 'gateway',
            path: '/_sites/:public_id/*',
            spelling: 'raw',
            async run(exchange: Exchange, params: Params) {
              const base = `/_sites/${params.public_id}`;
              const name = `p-${params.public_id!.toLowerCase()}.${options.services.settings.platformDomain}`;
              const tenant = { name, origin: `http://${name}`, reserved: true, foreign: false };
              exchange.project = await findTenantHost(options, exchange, tenant, false);
              await server.serve(exchange, { host: exchange.project!, path: exchange.path.slice(base.length), base });
            },
          },
        ]
      : [],
    answerNow: (request, response, startedAt) => server.hot.answer(request, response, startedAt),
  };
}
