import type { Command, Group } from '../command.ts';
import { call } from '../net/gateway.ts';

const none = { kind: 'none' as const, headers: {} };

const health: Command = {
  words: 'service health',
  summary: 'How the gateway and what it depends on are doing.',
  about: ['Public and free.'],
  examples: [['Is it well?', 'service health']],
  run: async ({ cli }) => (await call(cli, { method: 'GET', path: '/api/health', credential: none })).body,
};

const status: Command = {
  words: 'service status',
  summary: 'Whether the gateway takes requests, which version it is, and what it says of its faults.',
  about: ['Public and free. A gateway that is stopping or cannot reach its database answers ready: false.'],
  examples: [['Does it serve?', 'service status']],
  async run({ cli }) {
    const [{ body }, ready] = await Promise.all([
      call(cli, { method: 'GET', path: '/api/health', credential: none }),
      call(cli, { method: 'GET', path: '/readyz', credential: none }).then(
        () => true,
        () => false,
      ),
    ]);
    return { ready, ...body };
  },
};

export const group: Group = {
  name: 'service',
  about: ['svc service: whether the gateway is well. Nobody has to sign in for it.'],
  commands: [status, health],
};
