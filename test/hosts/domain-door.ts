import { expect } from 'vitest';
import type { DnsServer } from '../helpers/dns-server.ts';
import type { Service } from '../helpers/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

type Owner = Awaited<ReturnType<Service['project']>>;

/** The operations on the domains of a project, for its owner. */
export function domainDoor(service: Service, { wallet, projectId }: Pick<Owner, 'wallet' | 'projectId'>) {
  const path = (name: string) => `/projects/v1/${projectId}/domains/${encodeURIComponent(name)}`;
  const act = (action: string) => (name: string) =>
    service.call<Any>(wallet, 'POST', `${path(name)}/actions/${action}`, { body: {} });
  return {
    ensure: (name: string, desired?: object) => service.call<Any>(wallet, 'POST', path(name), { body: { desired } }),
    get: (name: string) => service.call<Any>(wallet, 'GET', path(name)),
    list: () => service.call<Any>(wallet, 'GET', `/projects/v1/${projectId}/domains`),
    check: act('check'),
    apply: act('apply'),
    repair: act('repair'),
    testReceive: (name: string, to: string) =>
      service.call<Any>(wallet, 'POST', `${path(name)}/actions/test_receive`, { body: { to } }),
    activate: act('activate_mailbox_addresses'),
    disconnect: (name: string) => service.call<Any>(wallet, 'DELETE', path(name)),
  };
}

export interface ProjectWithHost extends Owner {
  /** The host that it has from the start. */
  readonly host: string;
  /** Connects a domain whose records are right already. */
  readonly proveAndConnect: (name: string) => Promise<void>;
}

/** A project whose own host leads to an address. */
export async function projectWithHost(
  service: Service,
  dns: Pick<DnsServer, 'set'>,
  platform: string,
  address: string,
): Promise<ProjectWithHost> {
  const project = await service.project();
  const [row] = await service.control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
    project.projectId,
  ]);
  const host = `p-${row!.public_id}.${platform}`;
  dns.set(host, { A: [address] });
  const door = domainDoor(service, project);
  return {
    ...project,
    host,
    async proveAndConnect(name) {
      const { body } = await door.ensure(name);
      dns.set(`_svc-challenge.${name}`, { TXT: [body.dns_records[0].value] });
      dns.set(name, { CNAME: host });
      expect((await door.ensure(name)).body.checks.find(({ id }: Any) => id === 'binding').status).toBe('passed');
    },
  };
}
