import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { anyone } from '../../kernel/access/access.ts';
import { Outdated } from '../../kernel/durability/unit-of-work.ts';
import { execute } from '../../kernel/run/execute.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { jobContext } from '../../server/workers.ts';
import { startService } from '../helpers/service.ts';

// What an operation prepares is done before its transaction, once, however often that is begun.

const service = await startService({ jobs: false });
afterAll(() => service.stop());
const { services } = service.app;

/** An operation that writes down what happens, and whether a transaction of the node's is open meanwhile. */
function noting({ refuses = false, collisions = 0 } = {}) {
  const told: string[] = [];
  const open = async () => {
    const [row] = await service.control.sql<{ open: number }>(
      `select count(*)::int as open from pg_stat_activity
       where datname = current_database() and application_name like 'svc-gateway%' and state = 'idle in transaction'`,
    );
    return row!.open;
  };
  let left = collisions;
  const operation = mutation({
    name: 'tests.prepare',
    summary: 'Notes what happens.',
    access: anyone(),
    input: z.object({ given: z.string() }),
    async prepare(_ctx, { given }) {
      told.push(`prepares ${given} beside ${await open()}`);
      if (refuses) throw new ServiceError('VALIDATION_FAILED', { message: 'No.' });
      return given.length;
    },
    async handler(work, { given }, length) {
      await work.rows({ statement: { name: 'tests.prepare', text: 'select 1' }, values: [] });
      told.push(`handles ${given} of ${length} beside ${await open()}`);
      if (left-- > 0) throw new Outdated('Again.');
      return length;
    },
    audit: () => undefined,
    wire: z.object({ length: z.number() }),
    toWire: (length) => ({ length }),
  });
  const ctx = jobContext(services, new AbortController().signal);
  const context = { ...ctx, caller: async () => ({ kind: 'nobody' }) as const };
  return { told, run: () => execute(operation, context, { given: 'abc' }) };
}

test('what is prepared is given to the handler, and no transaction is open meanwhile', async () => {
  const { told, run } = noting();
  expect(await run()).toBe(3);
  expect(told).toEqual(['prepares abc beside 0', 'handles abc of 3 beside 1']);
});

test('a transaction that is begun anew is given what was prepared once', async () => {
  const { told, run } = noting({ collisions: 2 });
  expect(await run()).toBe(3);
  expect(told).toEqual(['prepares abc beside 0', ...Array(3).fill('handles abc of 3 beside 1')]);
});

test('what preparing refuses is refused, and no transaction is begun', async () => {
  const { told, run } = noting({ refuses: true });
  await expect(run()).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  expect(told).toEqual(['prepares abc beside 0']);
});
