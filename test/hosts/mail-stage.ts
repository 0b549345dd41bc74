import { Resolver } from 'node:dns/promises';
import { createRequire } from 'node:module';
import type { SMTPServerOptions } from 'smtp-server';
import { expect } from 'vitest';
import type { DnsServer, NameRecords } from '../helpers/dns-server.ts';
import { startDnsServer } from '../helpers/dns-server.ts';
import { startService } from '../helpers/service.ts';
import { startSmtp } from '../helpers/smtp-server.ts';
import { mailDoor } from '../mailboxes/mail-door.ts';
import { mailSender } from '../mailboxes/mail-sender.ts';
import { domainDoor, projectWithHost } from './domain-door.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

export const platform = 'apps.example.net';
export const mailHost = `mail.${platform}`;

/**
 * A gateway that sends and takes mail, with a name server whose records are the test's to set.
 *
 * @param options of the mail server that it sends by
 * @param env further environment of the gateway
 */
export async function startMailStage(options: SMTPServerOptions = {}, env: Readonly<Record<string, string>> = {}) {
  const dns = await startDnsServer();
  const smtp = await startSmtp(options);
  const service = await startService({
    env: {
      PLATFORM_DOMAIN: platform,
      DNS_SERVERS: dns.address,
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_LISTEN: '127.0.0.1:0',
      ...env,
    },
  });
  const outside = mailSender(service.app.mailPort!);

  /** A project with its doors. */
  async function owner() {
    const project = await projectWithHost(service, dns, platform, '192.0.2.10');
    const mail = mailDoor(service, project.serviceKey);
    const boxOf = async (slug: string) =>
      (await mail.list()).body.mailboxes.find((one: Any) => one.slug === slug) as Any;
    return { ...project, mail, boxOf, ...domainDoor(service, project) };
  }

  /** Lets the next look ask anew, as time would. */
  const age = () => service.control.sql(`update project_domains set checked_at = checked_at - interval '1 minute'`);

  /** Connects a domain for mail alone, sets what it asks for, and looks. @returns the domain as it then stands */
  async function connect(home: Awaited<ReturnType<typeof owner>>, name: string, email: object): Promise<Any> {
    dns.set(name, { SOA: true });
    const { body } = await home.ensure(name, { web: { enabled: false }, email });
    setRecords(dns, body.dns_records, { [name]: { SOA: true } });
    await age();
    return (await home.check(name)).body;
  }

  return {
    connect,
    service,
    dns,
    smtp,
    outside,
    owner,
    age,
    /** The mail that has gone out to an address. */
    async mailTo(to: string) {
      const found = () => smtp.taken.findLast((mail) => mail.to.includes(to));
      await expect.poll(found).toBeDefined();
      return found()!;
    },
    async stop() {
      await service.stop();
      await smtp.stop();
      await dns.stop();
    },
  };
}

/** What a project wants of a domain that its mailbox `hello-there` writes from and receives by. */
export const bothWays = {
  send: { enabled: true },
  receive: { enabled: true },
  mailbox_addresses: { addresses: [{ local_part: 'hello', mailbox_slug: 'hello-there', create_mailbox: true }] },
};

type Zone = Pick<DnsServer, 'set'>;

/** Sets all records that a domain asks for, as its owner would. @param more what its names have beside them */
export function setRecords(
  zone: Zone,
  records: readonly Any[],
  more: Readonly<Record<string, NameRecords>> = {},
): void {
  const names = new Map<string, Record<string, unknown>>(Object.entries(more).map(([name, own]) => [name, { ...own }]));
  for (const { type, name, value } of records) {
    const own = names.get(name) ?? {};
    if (type === 'CNAME') own.CNAME = value;
    else own[type] = [...((own[type] as string[] | undefined) ?? []), value];
    names.set(name, own);
  }
  for (const [name, own] of names) zone.set(name, own as NameRecords);
}

export const recordOf = (body: Any, id: string): Any => body.dns_records.find((one: Any) => one.id === id);

/** How each check stands: its reason where there is one. */
export const checksOf = (body: Any): Record<string, string> =>
  Object.fromEntries(body.checks.map((one: Any) => [one.id, one.reason_code ?? one.status]));

const require = createRequire(import.meta.url);
const { dkimVerify } = require('mailauth/lib/dkim/verify') as {
  dkimVerify: (raw: string, options: object) => Promise<Any>;
};

/** What a receiver makes of the signature of a mail: another implementation than the one that has signed it. */
export async function signatureOf(raw: string, dns: Pick<DnsServer, 'address'>) {
  const resolver = new Resolver();
  resolver.setServers([dns.address]);
  const { results } = await dkimVerify(raw, { resolver: (name: string, type: string) => resolver.resolve(name, type) });
  return results.map((one: Any) => ({
    result: one.status.result,
    domain: one.signingDomain,
    aligned: one.status.aligned,
  }));
}
