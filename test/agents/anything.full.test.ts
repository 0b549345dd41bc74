import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { startAgentStage } from './agent-stage.ts';

const stage = await startAgentStage();
afterAll(() => stage.stop());

const anything = fc.jsonValue({ maxDepth: 4 });
/** Close to what is asked for, so that it is read on. */
const likely = (...names: string[]) =>
  fc.oneof(anything, fc.constantFrom<unknown>(...names, 'docs.audit-sites.net', 'user', 'ROLE_USER', 'x', '', 1, null));

const meta = fc.dictionary(
  fc.constantFrom(
    'io.modelcontextprotocol/protocolVersion',
    'io.modelcontextprotocol/clientCapabilities',
    'io.modelcontextprotocol/clientInfo',
    'x402/payment',
    'x402.payment.status',
    'x402.payment.payload',
  ),
  fc.oneof(anything, fc.constantFrom('2026-07-28', '2025-11-25', 'payment-submitted', {})),
);

const message = fc.record(
  {
    messageId: likely('m'),
    taskId: likely('tsk_01m2n3p4q5r6s7t8v9w0x1y2z3'),
    contextId: likely('c'),
    role: likely(),
    parts: fc.oneof(
      anything,
      fc.array(
        fc.record(
          {
            kind: likely('text', 'data', 'file'),
            text: likely('full-audit'),
            data: fc.record({ url: likely(), skill: likely('full-audit', 'pricing') }),
          },
          { requiredKeys: [] },
        ),
        { maxLength: 3 },
      ),
    ),
    metadata: fc.oneof(anything, meta),
  },
  { requiredKeys: [] },
);

const call = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant<unknown>('2.0') }, { weight: 1, arbitrary: anything }),
    id: fc.oneof({ weight: 9, arbitrary: fc.constant<unknown>(1) }, { weight: 1, arbitrary: anything }),
    method: fc.constantFrom(
      'initialize',
      'tools/list',
      'tools/call',
      'server/discover',
      'SendMessage',
      'message/send',
      'GetTask',
      'tasks/get',
      'CancelTask',
      'tasks/cancel',
      '__proto__',
    ),
    params: fc.oneof(
      anything,
      fc.record(
        {
          name: likely('audit_site', 'full_audit', 'verify_transaction', 'submit_inquiry'),
          arguments: fc.oneof(
            anything,
            fc.dictionary(fc.constantFrom('url', 'tx_hash', 'email', '__proto__'), likely()),
          ),
          id: likely('tsk_01m2n3p4q5r6s7t8v9w0x1y2z3'),
          message,
          configuration: anything,
          protocolVersion: anything,
          _meta: fc.oneof(anything, meta),
        },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: ['method'] },
);

test.each(['/api/mcp', '/api/a2a'])(
  'whatever is sent to %s is answered, and never by a fault of ours',
  async (path) => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(call, call, fc.array(call, { maxLength: 3 }), anything), async (sent) => {
        const { status, text } = await stage.post(path, JSON.stringify(sent));
        expect(status, text).toBeLessThan(500);
        expect(text).not.toContain('-32603');
      }),
      { numRuns: 400 },
    );
  },
);

test('whatever job is sent is answered, and never by a fault of ours', async () => {
  const job = fc.dictionary(
    fc.constantFrom(
      'job_id',
      'task_id',
      'id',
      'event',
      'title',
      'description',
      'prompt',
      'url',
      'target_url',
      'input',
      'callback_url',
    ),
    fc.oneof(likely(), fc.record({ url: likely() })),
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(job, job, anything), async (sent) => {
      const { status } = await stage.post('/api/near-agents', JSON.stringify(sent));
      expect([200, 400, 429]).toContain(status);
    }),
    { numRuns: 300 },
  );
});
