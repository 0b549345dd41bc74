import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createS3Client } from '../../engines/objects/s3-client.ts';
import type { S3Settings } from '../../engines/objects/s3-settings.ts';
import { freePort } from '../../scripts/free-port.ts';
import { memcachedProgram, swiftProgram } from '../../scripts/lane-programs.ts';
import { until } from './until.ts';

const run = promisify(execFile);
const stores = ['account', 'container', 'object'] as const;

/**
 * Starts OpenStack Swift on one disk of one machine, with its S3 API in front: a server that has nothing in common with the
 * one of `npm test`. Its programs are those of Debian; `/etc/swift/swift.conf` comes with them.
 */
export async function startSwift(): Promise<{ readonly settings: S3Settings; readonly stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-swift-'));
  const programs = dirname(swiftProgram()!);
  const children: ChildProcess[] = [];
  const start = (name: string, config: string) => {
    children.push(spawn(join(programs, `swift-${name}-server`), [config], { stdio: 'ignore' }));
  };
  const common = (port: number) =>
    `[DEFAULT]\nbind_ip = 127.0.0.1\nbind_port = ${port}\nworkers = 0\nuser = ${userInfo().username}\nswift_dir = ${folder}\n`;
  await mkdir(join(folder, 'disks', 'd1'), { recursive: true });
  const ports: number[] = [];
  for (const name of stores) {
    const port = await freePort();
    ports.push(port);
    const builder = join(folder, `${name}.builder`);
    const ring = (...what: readonly string[]) => run(join(programs, 'swift-ring-builder'), [builder, ...what]);
    await ring('create', '4', '1', '0');
    await ring('add', `r1z1-127.0.0.1:${port}/d1`, '1');
    // A ring of one disk is said to be out of balance by the exit code.
    await ring('rebalance').catch(() => undefined);
    const config = join(folder, `${name}.conf`);
    await writeFile(
      config,
      `${common(port)}devices = ${folder}/disks\nmount_check = false\n[pipeline:main]\npipeline = ${name}-server\n[app:${name}-server]\nuse = egg:swift#${name}\n`,
    );
    start(name, config);
  }
  // The keys of its users are looked up by way of it.
  const cache = await freePort();
  children.push(
    spawn(memcachedProgram()!, ['-u', userInfo().username, '-l', '127.0.0.1', '-p', String(cache)], {
      stdio: 'ignore',
    }),
  );
  const port = await freePort();
  const proxy = join(folder, 'proxy.conf');
  const filters = [
    'catch_errors',
    'gatekeeper',
    'cache',
    'bulk',
    's3api',
    'tempauth',
    'copy',
    'slo',
    'versioned_writes',
  ];
  const more: Readonly<Record<string, string>> = {
    cache: `memcache_servers = 127.0.0.1:${cache}\n`,
    tempauth: 'user_test_tester = testing .admin\n',
  };
  const sections = filters.map((name) => {
    const program = name === 'cache' ? 'memcache' : name;
    return `[filter:${name}]\nuse = egg:swift#${program}\n${more[name] ?? ''}`;
  });
  const pipeline = `[pipeline:main]\npipeline = ${filters.join(' ')} proxy-server\n`;
  const app = '[app:proxy-server]\nuse = egg:swift#proxy\nallow_account_management = true\naccount_autocreate = true\n';
  await writeFile(proxy, [common(port), pipeline, app, ...sections].join(''));
  const settings = {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: 'objects',
    region: 'us-east-1',
    accessKeyId: 'test:tester',
    secretAccessKey: 'testing',
    pathStyle: true,
  };
  const stop = async () => {
    const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    await Promise.all(
      running.map(async (child) => {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }),
    );
    await rm(folder, { recursive: true, force: true });
  };
  try {
    // The bucket can be made without the store of objects, and a proxy that finds it away leaves it alone for a minute.
    for (const one of ports) await until(() => fetch(`http://127.0.0.1:${one}/`));
    start('proxy', proxy);
    const s3 = createS3Client(settings);
    await until(() => s3.call({ method: 'PUT' }));
  } catch (error) {
    await stop();
    throw error;
  }
  return { settings, stop };
}
