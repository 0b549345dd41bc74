import { docs, shop } from '../audit/fixture-sites.ts';
import { type Service, type ServiceOptions, startService } from '../helpers/service.ts';
import { type SiteDocuments, startSites } from '../helpers/site-server.ts';

/** A gateway with sites to audit, and clients that each come from an address of their own. */
export interface AgentStage {
  readonly service: Service;
  /** A `fetch` as of another client, so that none uses up what another may; with the requests that went through it. */
  readonly client: () => { readonly fetch: typeof fetch; readonly sent: { method: string; status: number }[] };
  /** Posts to a path as another client each time, unless told. */
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Posted>;
  readonly stop: () => Promise<void>;
}

export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  readonly body: any;
}

/**
 * @param names further sites, with hardly anything in them
 * @param more further sites by their names
 */
export async function startAgentStage(
  options: ServiceOptions = {},
  names: readonly string[] = [],
  more: Readonly<Record<string, SiteDocuments>> = {},
): Promise<AgentStage> {
  const sites = await startSites({
    'shop.audit-sites.net': shop,
    'docs.audit-sites.net': docs,
    ...more,
    ...Object.fromEntries(names.map((name) => [name, { '/': `<title>${name}</title>` }])),
  });
  const service = await startService({
    nodes: 1,
    ...options,
    auditTrial: sites.trial,
    env: { TRUSTED_PROXIES: '127.0.0.1/32', ...options.env },
  });
  let last = 0;
  const address = () => {
    last += 1;
    return `198.51.${Math.floor(last / 250)}.${(last % 250) + 1}`;
  };
  const client: AgentStage['client'] = () => {
    const from = address();
    const sent: { method: string; status: number }[] = [];
    const send: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      request.headers.set('x-forwarded-for', from);
      const response = await fetch(request);
      sent.push({ method: request.method, status: response.status });
      return response;
    };
    return { fetch: send, sent };
  };
  return {
    service,
    client,
    async post(path, body, headers = {}) {
      const response = await fetch(service.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address(), ...headers },
        body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: text === '' ? undefined : JSON.parse(text),
      };
    },
    async stop() {
      await service.stop();
      sites.close();
    },
  };
}
