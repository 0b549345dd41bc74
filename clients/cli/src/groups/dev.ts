import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { Command, Group } from '../command.ts';
import { local } from '../failure.ts';
import { gatewayFolder } from '../gateway-folder.ts';
import { progress } from '../progress.ts';

const dev: Command = {
  words: 'dev',
  summary: 'Start a gateway on this machine, and keep it until you stop it.',
  about: [
    'One document is printed when it serves; what it logs goes to standard error. Its database and data are kept in --data-dir. It is the gateway of the clone that this command stands in, or of SVC_GATEWAY_DIR. Ctrl-C stops it.',
  ],
  flags: [
    {
      name: 'port',
      type: 'integer',
      min: 0,
      max: 65_535,
      about: 'Port to listen on: 4000 unless told, 0 for any that is free.',
    },
    {
      name: 'data-dir',
      type: 'string',
      placeholder: 'folder',
      about: 'Where data is kept: .svc in the gateway’s folder unless told.',
    },
  ],
  examples: [
    ['On the usual port', 'dev'],
    ['A throw-away one', 'dev --port 0 --data-dir /tmp/gateway'],
  ],
  async run({ cli, flags, line, exitWith }) {
    const folder = await gatewayFolder(cli);
    const dataDir = flags.text('data-dir');
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      ...cli.env,
      PORT: String(flags.number('port') ?? 4000),
      ...(dataDir === undefined ? {} : { SVC_DATA_DIR: resolve(cli.cwd, dataDir) }),
      // The pipe receives no data. It closes when this process ends, however that happens.
      STOP_WITH_STDIN: '1',
    };
    const bar = progress(cli);
    bar.at('Starting the gateway');
    const child = spawn('npm', ['start', '--silent'], {
      cwd: folder,
      env,
      stdio: 'pipe',
      detached: true,
    });
    // Signals the process group, because npm runs in between.
    const stop = () => process.kill(-child.pid!, 'SIGTERM');
    cli.signal.addEventListener('abort', stop, { once: true });
    let told = '';
    let serves = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (serves) {
        cli.stderr.write(text);
        return;
      }
      told += text;
      const url = /serves at (http:\/\/\S+)/.exec(told)?.[1];
      if (url === undefined) return;
      serves = true;
      bar.end();
      line({ api_base: url, pid: child.pid, data_dir: env.SVC_DATA_DIR ?? join(folder, '.svc') });
      cli.stderr.write(told);
    });
    // The gateway's message names its variable, which `svc dev` sets by a flag.
    child.stderr.on('data', (text) =>
      cli.stderr.write(String(text).replaceAll('set SVC_DATA_DIR to', 'set --data-dir to')),
    );
    const code = await new Promise<number | null>((done, failed) => {
      child.once('error', (error) => failed(local('LOCAL_ERROR', `npm cannot be run: ${error.message}`)));
      child.once('close', (ended) => done(ended));
    });
    cli.signal.removeEventListener('abort', stop);
    bar.end();
    if (!serves)
      throw local('LOCAL_ERROR', `The gateway ended before it served (${code}).`, {
        hint: 'Its own words are above.',
        details: { folder },
      });
    exitWith(cli.signal.aborted ? 0 : (code ?? 1));
    return undefined;
  },
};

export const group: Group = { name: 'dev', about: [dev.summary], commands: [dev] };
