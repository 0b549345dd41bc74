import { expect, test } from 'vitest';
import { CallTurns, TurnsTakenError } from '../../../engines/functions/call-turns.ts';

const live = new AbortController().signal;

test('as many calls of a project run as may, the others wait in their order, and another project is not kept waiting', async () => {
  const turns = new CallTurns({ running: 2, waiting: 3 });
  const begun: string[] = [];
  const begin = (name: string, project = 'one') =>
    turns.take(project, live).then((end) => {
      begun.push(name);
      return end;
    });
  const [first] = await Promise.all([begin('a'), begin('b')]);
  const waiting = [begin('c'), begin('d'), begin('e')];
  await expect(turns.take('one', live)).rejects.toThrow(TurnsTakenError);
  await begin('other', 'two');
  expect(begun).toEqual(['a', 'b', 'other']);
  first();
  const third = await waiting[0]!;
  expect(begun).toEqual(['a', 'b', 'other', 'c']);
  third();
  await waiting[1]!;
  expect(begun.at(-1)).toBe('d');
});

test('a caller who has gone gives the place in the queue up', async () => {
  const turns = new CallTurns({ running: 1, waiting: 1 });
  const end = await turns.take('one', live);
  const gone = new AbortController();
  const left = turns.take('one', gone.signal);
  gone.abort(new Error('The client has gone.'));
  await expect(left).rejects.toThrow('The client has gone.');
  const next = turns.take('one', live);
  end();
  (await next)();
  await expect(turns.take('one', gone.signal)).rejects.toThrow('The client has gone.');
  (await turns.take('one', live))();
});
