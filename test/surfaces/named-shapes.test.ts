import { expect, test } from 'vitest';
import type { PlainSchema } from '../../scripts/surfaces/plain-schema.ts';
import { signInSurfaces, surfaces, userSurfaces } from '../../scripts/surfaces.ts';

/** An object with fewer members is as short as its name. */
const membersMin = 5;

/** Every unnamed object of an answer with so many members. Named schemas are visited once. */
function unnamedObjects(schema: PlainSchema, seen: Set<string>): PlainSchema[] {
  const { named, properties = {}, items, prefixItems = [], anyOf = [], oneOf = [], allOf = [] } = schema;
  if (named !== undefined && seen.has(named)) return [];
  if (named !== undefined) seen.add(named);
  const below = [...Object.values(properties), ...(items ? [items] : []), ...prefixItems, ...anyOf, ...oneOf, ...allOf];
  const isLarge = named === undefined && Object.keys(properties).length >= membersMin;
  return [...(isLarge ? [schema] : []), ...below.flatMap((one) => unnamedObjects(one, seen))];
}

// OpenAPI and the SDK print a schema with an id once, and every other schema wherever it occurs.
test('an object that occurs in several answers has a name', () => {
  const seen = new Set<string>();
  const places = new Map<string, string[]>();
  for (const { name, answer } of [...surfaces(), ...userSurfaces(), ...signInSurfaces()])
    for (const { description: _said, ...form } of unnamedObjects(answer, seen)) {
      const key = JSON.stringify(form);
      places.set(key, [...(places.get(key) ?? []), name]);
    }
  expect(seen.size).toBeGreaterThan(40);
  expect([...places.values()].filter((names) => names.length > 1)).toEqual([]);
});
