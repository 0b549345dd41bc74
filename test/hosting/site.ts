import { request as send } from 'node:http';
import type { Service } from '../helpers/service.ts';

export interface SiteAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
}

/** Asks a host of a project, as browsers and curl do that resolve it to this machine. The path is sent as it is. */
export function asking(service: Pick<Service, 'url'>, host: string) {
  const { port, hostname } = new URL(service.url);
  return (path: string, { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {}) =>
    new Promise<SiteAnswer>((resolve, reject) => {
      const sent = send(
        { hostname, port, path, method, headers: { host: `${host}:${port}`, ...headers } },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('error', reject);
          answer.on('end', () => {
            const body = Buffer.concat(chunks);
            resolve({ status: answer.statusCode!, headers: answer.headers, body, text: body.toString('utf8') });
          });
        },
      );
      sent.on('error', reject);
      sent.end();
    });
}
