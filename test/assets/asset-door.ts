import { keyHolder } from '../content/upload.ts';
import { deploying } from '../deploys/deploying.ts';
import type { Service } from '../helpers/service.ts';
import { asking } from '../hosting/site.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

/** A project with its assets, as its service key reaches them, and its own host. */
export async function assetStage(service: Service) {
  const project = await service.project();
  const key = keyHolder(project.serviceKey);
  const [{ public_id: publicId }] = (await service.control.sql('select public_id from projects where id = $1', [
    project.projectId,
  ])) as [{ public_id: string }];
  const host = `pr-${publicId}.localhost`;
  const call = (method: string, path: string, body?: object) =>
    service.call<Any>(key, method, path, body === undefined ? {} : { body });
  const spelt = (name: string) => name.split('/').map(encodeURIComponent).join('/');
  /** The bytes of an asset, as its owner reads them. */
  const read = async (name: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${service.url}/storage/v1/blob/${spelt(name)}`, {
      headers: { apikey: project.serviceKey, authorization: `Bearer ${project.serviceKey}`, ...headers },
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  return {
    ...project,
    host,
    call,
    read,
    put: (name: string, content: string, more: object = {}) =>
      call('POST', '/storage/v1/blobs', { key: name, content, ...more }),
    remove: (name: string) => call('DELETE', `/storage/v1/blob/${spelt(name)}`),
    sign: (name: string, body: object = {}) => call('POST', `/storage/v1/blob/${spelt(name)}/sign`, body),
    list: (search = '') => call('GET', `/storage/v1/blobs${search}`),
    ask: asking(service, host),
    /** Asks an address of this project, as whoever has it does. */
    open: (url: string, options?: Parameters<ReturnType<typeof asking>>[1]) => {
      const { hostname, pathname, search } = new URL(url);
      return asking(service, hostname)(pathname + search, options);
    },
    deploys: deploying(service, project.wallet, project),
  };
}
