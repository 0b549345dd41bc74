import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../scripts/free-port.ts';
import { nginxProgram } from '../scripts/lane-programs.ts';
import { type Server, startProgram, startServer } from './processes.ts';
import type { Stage } from './stage.ts';

/** The same files, served by the gateway as a project's release, and by others from a folder. */
export interface Sites {
  /** The name that the release is served under. */
  readonly host: string;
  readonly serveStatic: Server;
  /** Bare `node:http`, from memory. */
  readonly floor: Server;
  /** One worker; undefined where there is no nginx. */
  readonly nginx: Server | undefined;
}

/** Serves some files everywhere while `run` measures. */
export async function whileServing<Result>(
  stage: Stage,
  files: Readonly<Record<string, Buffer>>,
  run: (sites: Sites) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-site-'));
  const servers: Server[] = [];
  try {
    await mkdir(join(folder, 'site'));
    for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, 'site', name), bytes);
    const env = { NODE_ENV: 'production', FOLDER: join(folder, 'site') };
    const serveStatic = await startServer('subjects/serve-static.ts', env, folder);
    servers.push(serveStatic);
    const floor = await startServer('subjects/static-floor.ts', env, folder);
    servers.push(floor);
    const nginx = await startNginx(folder);
    if (nginx !== undefined) servers.push(nginx);
    return await run({ host: await deploy(stage, files), serveStatic, floor, nginx });
  } finally {
    await Promise.all(servers.map((one) => one.stop()));
    await rm(folder, { recursive: true, force: true });
  }
}

async function startNginx(folder: string): Promise<Server | undefined> {
  const program = nginxProgram();
  if (program === undefined) return undefined;
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  // One process that does all, as one worker does.
  await writeFile(
    config,
    `master_process off; daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; open_file_cache max=1000;
  types { text/css css; }
  ${paths.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  server { listen 127.0.0.1:${port}; root ${folder}/site; }
}
`,
  );
  return startProgram(program, ['-c', config, '-p', folder, '-e', `${folder}/error.log`], `http://127.0.0.1:${port}`);
}

// biome-ignore lint/suspicious/noExplicitAny: what is read of answers is few members.
type Answer = any;

/** Asks the gateway as the wallet that belongs to all organizations. */
async function call({ gateway, dataset }: Stage, path: string, body?: object): Promise<Answer> {
  const signed = await dataset.wallet.header({ baseUrl: gateway.url, path });
  const headers = { 'content-type': 'application/json', 'sign-in-with-x': signed };
  const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(gateway.url + path, { headers, ...request });
  const answer = (await response.json()) as Answer;
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

/** A project that serves nothing yet, with its keys. */
export const makeSite = (stage: Stage): Promise<{ readonly project_id: string; readonly service_key: string }> =>
  call(stage, '/projects/v1', { name: 'site', org_id: stage.dataset.writtenOrgId });

/** Makes the files the release of a project. @returns the name that it is served under */
async function deploy(stage: Stage, files: Readonly<Record<string, Buffer>>): Promise<string> {
  const { project_id } = await makeSite(stage);
  const refs = Object.entries(files).map(([path, bytes]) => ({
    path,
    bytes,
    ref: { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length },
  }));
  const content = await call(stage, '/content/v1/plans', { project_id, content: refs.map(({ ref }) => ref) });
  for (const { sha256, parts } of content.missing) {
    const { bytes } = refs.find(({ ref }) => ref.sha256 === sha256)!;
    const headers = { 'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64') };
    const sent = await fetch(parts[0].url, { method: 'PUT', headers, body: Uint8Array.from(bytes) });
    if (!sent.ok) throw new Error(`A file was not taken: ${await sent.text()}`);
  }
  await call(stage, `/content/v1/plans/${content.plan_id}/commit`, { project_id });
  const replace = Object.fromEntries(refs.map(({ path, ref }) => [path, ref]));
  const plan = await call(stage, '/apply/v1/plans', { spec: { project_id, site: { replace } } });
  await call(stage, `/apply/v1/plans/${plan.plan_id}/commit`, {});
  for (let patience = 100; ; patience--) {
    const { status, urls } = await call(stage, `/apply/v1/operations/${plan.operation_id}`);
    if (status === 'ready') return new URL(urls.site).hostname;
    if (patience === 0 || status === 'failed') throw new Error(`The site did not go live: ${status}.`);
    await sleep(100);
  }
}
