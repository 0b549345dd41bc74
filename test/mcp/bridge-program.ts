import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { runMcpBridge } from '../../clients/cli/src/mcp/bridge.ts';
import type { McpBridgeHost, ProjectKeys } from '../../clients/cli/src/mcp/host.ts';
import { createWallet } from '../helpers/wallet.ts';

// A machine with a wallet, a binding and a cache of keys, for the bridge to speak for. Its commands are those of the
// host that a test gives it: what they do is theirs.

const { env } = process;
const apiBase = env.SVC_API_BASE!;
const wallet = createWallet(env.WALLET_KEY as `0x${string}`);
const cache = env.KEYS_FILE!;

const kept = (): Record<string, ProjectKeys> =>
  existsSync(cache)
    ? Object.fromEntries(
        readFileSync(cache, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as [string, ProjectKeys]),
      )
    : {};

const host: McpBridgeHost = {
  apiBase,
  version: '0.0.0-test',
  env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: new AbortController().signal,
  headersFor: async (url) => ({ 'sign-in-with-x': await wallet.header({ baseUrl: url.origin, path: url.pathname }) }),
  bound: async () => ({ project_id: env.SVC_PROJECT_ID, org_id: env.SVC_ORG, room_key: env.SVC_ROOM }),
  projectKeys: async (project) => kept()[project],
  saveProjectKeys: async (project, keys) => appendFileSync(cache, `${JSON.stringify([project, keys])}\n`),
  run: async (words) => {
    if (words[0] === 'pay')
      throw Object.assign(new Error('refused'), {
        envelope: { status: 'error', code: 'PAYMENT_LIMIT', message: 'It costs more than that.', retryable: false },
      });
    return { ran: words };
  },
};

process.exitCode = await runMcpBridge(host);
