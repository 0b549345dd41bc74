import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { postfixProgram } from '../../scripts/lane-programs.ts';
import { until } from './until.ts';

interface PostfixOptions {
  readonly port: number;
  /** The domain whose mail it keeps. All other mail it gives to {@link next}. */
  readonly domain: string;
  /** What stands before the `@` of those who have a mailbox. Others are known only once mail for them was taken. */
  readonly people: readonly string[];
  /** Port of the server on loopback that other mail goes to. */
  readonly next: number;
}

/** The places of Debian: Postfix would take them from `/etc/postfix/main.cf`, which it does without here. */
const places = {
  command_directory: '/usr/sbin',
  daemon_directory: '/usr/lib/postfix/sbin',
  mail_owner: 'postfix',
  setgid_group: 'postdrop',
};

const services = [
  'pickup unix n - n 60 1 pickup',
  'cleanup unix n - n - 0 cleanup',
  'qmgr unix n - n 300 1 qmgr',
  'rewrite unix - - n - - trivial-rewrite',
  ...['bounce', 'defer', 'trace'].map((name) => `${name} unix - - n - 0 bounce`),
  'verify unix - - n - 1 verify',
  'flush unix n - n 1000? 0 flush',
  'proxymap unix - - n - - proxymap',
  'smtp unix - - n - - smtp',
  'relay unix - - n - - smtp',
  'showq unix n - n - - showq',
  'error unix - - n - - error',
  'retry unix - - n - - error',
  'discard unix - - n - - discard',
  'virtual unix - n n - - virtual',
  'anvil unix - - n - 1 anvil',
  'scache unix - - n - 1 scache',
  'postlog unix-dgram n - n - 1 postlogd',
];

/** A real Postfix on loopback, in a folder of its own: nothing of the machine's own configuration is read or written. */
export async function startPostfix({ port, domain, people, next }: PostfixOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-postfix-'));
  await chmod(folder, 0o755);
  const [config, data, mail] = ['config', 'data', 'mail'].map((name) => join(folder, name)) as [string, string, string];
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, places.mail_owner]))) as [
    number,
    number,
  ];
  for (const path of [config, data, mail, join(folder, 'queue')]) await mkdir(path);
  for (const path of [data, mail]) await chown(path, uid, gid);
  const settings = {
    ...places,
    compatibility_level: '3.6',
    queue_directory: join(folder, 'queue'),
    data_directory: data,
    maillog_file: join(folder, 'log'),
    maillog_file_prefixes: folder,
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    myhostname: `mx.${domain}`,
    mydestination: '',
    mynetworks: '127.0.0.0/8',
    alias_maps: '',
    local_recipient_maps: '',
    smtpd_peername_lookup: 'no',
    smtp_dns_support_level: 'disabled',
    smtp_host_lookup: 'native',
    default_transport: `smtp:[127.0.0.1]:${next}`,
    virtual_mailbox_domains: domain,
    virtual_mailbox_base: mail,
    virtual_mailbox_maps: `inline:{${people.map((name) => ` { ${name}@${domain} = ${name}/ }`).join('')} }`,
    virtual_uid_maps: `static:${uid}`,
    virtual_gid_maps: `static:${gid}`,
    virtual_minimum_uid: '1',
    // Mail for somebody who is not there is taken, and comes back.
    smtpd_reject_unlisted_recipient: 'no',
    smtpd_recipient_restrictions: 'permit_mynetworks, reject',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  await writeFile(join(config, 'main.cf'), lines.join(''));
  await writeFile(
    join(config, 'master.cf'),
    [`127.0.0.1:${port} inet n - n - - smtpd`, ...services].map((line) => `${line}\n`).join(''),
  );
  const child: ChildProcess = spawn(postfixProgram()!, ['-c', config, 'start-fg'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const log = () => readFile(join(folder, 'log'), 'utf8').catch(() => '');
  await until(async () => expect(await log()).toContain('daemon started'));
  // The program is a script, which its server outlives.
  const master = Number(await readFile(join(folder, 'queue/pid/master.pid'), 'utf8'));
  return {
    domain,
    log,
    /** The mails of somebody, as they were delivered. */
    async mailOf(name: string): Promise<string[]> {
      const inbox = join(mail, name, 'new');
      const names = await readdir(inbox).catch(() => []);
      return Promise.all(names.toSorted().map((one) => readFile(join(inbox, one), 'latin1')));
    },
    async stop() {
      process.kill(master, 'SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
