import type { Command, Group } from '../command.ts';
import { noCredential } from '../net/credential.ts';
import { call } from '../net/gateway.ts';

const health: Command = {
  words: 'service health',
  summary: 'Whether the gateway and what it depends on are well.',
  about: [
    'Public and free. `checks` says what is the matter; one that cannot serve answers 503, which is a failure here. Payments that cannot be taken leave it healthy.',
  ],
  examples: [['Is it well?', 'service health']],
  exits: { 1: 'it is not well, or could not be asked' },
  run: async ({ cli }) => (await call(cli, { method: 'GET', path: '/health', credential: noCredential })).body,
};

const status: Command = {
  words: 'service status',
  summary: 'Which version the gateway is, what can be asked of it, whom to write to, and whether all of it works.',
  about: [
    'Public and free. `status` is ok or degraded. Uptime is that of the process that answers: no history is kept. The answer may be up to 30 seconds old.',
  ],
  examples: [['Does it serve?', 'service status']],
  run: async ({ cli }) => (await call(cli, { method: 'GET', path: '/status', credential: noCredential })).body,
};

export const group: Group = {
  name: 'service',
  about: ['svc service: whether the gateway is well. Nobody has to sign in for it.'],
  commands: [status, health],
};
