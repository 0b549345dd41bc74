import type { Service } from '../helpers/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

/** The mailboxes of a project, by its own key. */
export function mailDoor(service: Service, serviceKey: string) {
  const key = service.actors.bearer(serviceKey);
  const call = (method: string, path: string, body?: object) =>
    service.call<Any>(key, method, `/mailboxes/v1${path}`, body === undefined ? {} : { body });
  return {
    call,
    list: () => call('GET', ''),
    create: (slug: string) => call('POST', '', { slug }),
    get: (id: string) => call('GET', `/${id}`),
    defaults: (body: object) => call('PATCH', '/settings', body),
    update: (id: string, footer_policy: string) => call('PATCH', `/${id}`, { footer_policy }),
    remove: (id: string) => call('DELETE', `/${id}`),
    send: (id: string, body: object) => call('POST', `/${id}/messages`, body),
    messages: (id: string, search = '') => call('GET', `/${id}/messages${search}`),
    message: (id: string, message: string) => call('GET', `/${id}/messages/${message}`),
  };
}
