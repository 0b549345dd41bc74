import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { checkCost, planCost } from '../../schema/engine/cost.ts';
import { costOf, refusal, schema } from './measured.ts';

describe('cost', () => {
  const page = (argument: string) => `query Q($n: Int, $d: Int = 7, $m: Int) { rooms${argument} { totalCount } }`;

  test.each<[string, string, Record<string, unknown>, number]>([
    ['a page that says nothing counts as fifty', '', {}, 51],
    ['a literal counts as it is', '(first: 10)', {}, 11],
    ['`last` counts like `first`, the larger one of both', '(first: 10, last: 20)', {}, 21],
    ['a page counts as two hundred at most', '(first: 100000)', {}, 201],
    ['a page of none counts once', '(first: 0)', {}, 2],
    ['a negative page counts once', '(first: -5)', {}, 2],
    ['null is a page that says nothing', '(first: null)', {}, 51],
    ['a string is a page that says nothing', '(first: "3")', {}, 51],
    ['a variable counts by its value', '(first: $n)', { n: 10 }, 11],
    ['a variable is clamped as well', '(first: $n)', { n: 1e9 }, 201],
    ['a variable beside a literal: the larger one', '(first: $n, last: 20)', { n: 10 }, 21],
    ['two variables: the larger one', '(first: $n, last: $m)', { n: 10, m: 30 }, 31],
    ['one of two variables is null', '(first: $n, last: $m)', { n: 10, m: null }, 11],
    ['a variable without value is a page that says nothing', '(first: $n)', {}, 51],
    ['a variable that is no integer is a page that says nothing', '(first: $n)', { n: '10' }, 51],
    ['a variable with default counts by its default', '(first: $d)', {}, 8],
    ['a value goes before the default', '(first: $d)', { d: 3 }, 4],
    ['null goes before the default', '(first: $d)', { d: null }, 51],
    ['members inherited by the variables are not values', '(first: $n)', Object.create({ n: 3 }), 51],
    ['other arguments say nothing about size', '(after: "3")', {}, 51],
  ])('%s', (_case, argument, variables, cost) => {
    expect(costOf(page(argument), variables)).toBe(cost);
  });

  test('pages inside pages multiply, through fragments and aliases, by literal and by variable', () => {
    const source = (first: string) => `
      query ($n: Int) { a: rooms(first: 3) { ...Rooms } }
      fragment Rooms on RoomConnection { edges { node { id messages(first: ${first}) { edges { node { ...M } } } } } }
      fragment M on Message { id ... { sender { name } } }`;
    const cost = 1 + 3 * (1 + 1 + 1 + 1 + 5 * (1 + 1 + 1 + 2));
    expect(costOf(source('5'))).toBe(cost);
    expect(costOf(source('$n'), { n: 5 })).toBe(cost);
  });

  test('only connections multiply', () => {
    expect(
      costOf('{ room { members { id } } any { ... on Room { messages(first: 4) { edges { __typename } } } } }'),
    ).toBe(3 + 1 + 1 + 4 * 2);
  });

  test('only the operation that runs is counted, with its own defaults', () => {
    const source =
      'query A($n: Int = 2) { ...F } query B($n: Int = 3) { ...F me { id } } fragment F on Query { rooms(first: $n) { totalCount } }';
    expect(costOf(source, {}, 'A')).toBe(3);
    expect(costOf(source, {}, 'B')).toBe(6);
    expect(costOf(source, { n: 4 }, 'B')).toBe(7);
    // These two select nothing, which executing them reports.
    expect(costOf(source, {}, 'C')).toBeUndefined();
    expect(costOf(source)).toBeUndefined();
  });

  test('two default pages inside each other pass, three are refused', () => {
    const rooms = (inside: string) => `rooms { edges { node { id ${inside} } } }`;
    const check = (source: string) => refusal(() => checkCost(planCost(schema, parse(source)), undefined, undefined));
    const members = (inside: string) => `members { ${inside} }`;
    expect(check(`{ ${rooms(members(rooms('')))} }`)).toBeUndefined();
    expect(check(`{ ${rooms(members(rooms(members(rooms('')))))} }`)).toMatchObject({ limit: 'cost', allowed: 20_000 });
  });
});
