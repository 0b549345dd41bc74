import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../core/errors.ts';
import { sameSecret } from '../../core/keys.ts';
import type { Context } from '../../kernel/run/context.ts';
import { findChallenge } from '../../resolvers/hosts/certificates/challenges.ts';
import { byQuality } from '../accept.ts';
import type { Exchange, HttpOptions } from '../exchange.ts';
import { answerApiDocument, answerPlatformDocument } from '../openapi.ts';
import { send, sendAnswer, sendJson } from '../respond.ts';
import { answerHealth, answerStatus } from '../status.ts';
import { type Call, type Entry, ownPath } from './entry.ts';

/** What the gateway says of itself, to people and programs: no operation answers, and no credential is looked at. */
export function ownEntries(options: HttpOptions): Entry[] {
  const { services, health, metrics, guardMetrics } = options;
  const read = { ...ownPath, method: 'GET' } as const;
  const probe = { ...read, underAnyName: true } as const;
  const challenge = challengeLine(options);
  return [
    { ...challenge, host: 'gateway' },
    { ...challenge, host: 'project' },
    { ...read, method: '*', path: '/', label: 'unknown', auth: 'none', run: leadToConsole },
    { ...read, path: '/openapi.json', auth: 'none', run: answerApiDocument(options) },
    { ...read, path: '/openapi/platform.json', auth: 'none', run: answerPlatformDocument(options) },
    {
      ...probe,
      path: '/api/health',
      auth: 'none',
      run: async ({ response }) => sendJson(response, 200, await health.report()),
    },
    { ...probe, path: '/status', auth: 'none', run: answerStatus(options) },
    { ...probe, path: '/health', auth: 'none', run: answerHealth(options) },
    {
      ...probe,
      path: '/readyz',
      auth: 'none',
      async run({ response }) {
        const ready = await health.ready();
        sendJson(response, ready ? 200 : 503, { ready });
      },
    },
    {
      ...read,
      path: '/metrics',
      auth: 'none',
      async run({ request, response }) {
        if (guardMetrics) requireAdminKey(request, services.settings.adminKey);
        send(response, 200, metrics.contentType, await metrics.render());
      },
    },
  ];
}

/** Sends a browser that was given the bare address to the console; a program is told that there is no such path. */
async function leadToConsole({ request, response, path }: Exchange): Promise<void> {
  response.setHeader('vary', 'Accept');
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (!reads || !byQuality(request.headers.accept ?? '').includes('text/html'))
    throw new ServiceError('ROUTE_NOT_FOUND', { details: { path } });
  sendAnswer(response, { status: 303, headers: { location: '/console', 'cache-control': 'no-store' }, body: '' });
}

/** Prometheus can send a bearer, but no header of its own. @throws AUTH_REQUIRED or INVALID_AUTH */
function requireAdminKey({ headers }: IncomingMessage, expected: string | undefined): void {
  const given = headers['x-admin-key'] ?? headers.authorization?.replace(/^Bearer\s+/i, '');
  if (given === undefined) throw new ServiceError('AUTH_REQUIRED');
  if (expected === undefined || !sameSecret(String(given), expected)) throw new ServiceError('INVALID_AUTH');
}

/** Where certificate authorities look for the proof of a host. RFC 8555, section 8.3. */
const challengeLine = ({ services }: HttpOptions) => ({
  method: 'GET' as const,
  path: '/.well-known/acme-challenge/:token',
  spelling: 'raw' as const,
  underAnyName: true as const,
  auth: async ({ ctx }: { readonly ctx: Context }) => ctx.chargeAddress(),
  body: 'unread' as const,
  async run({ exchange: { response, path }, params }: Call): Promise<void> {
    const answer = await findChallenge(services, params.token!);
    if (answer === undefined) throw new ServiceError('ROUTE_NOT_FOUND', { details: { path } });
    const headers = { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' };
    sendAnswer(response, { status: 200, headers, body: answer });
  },
});
