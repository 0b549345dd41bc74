import { isKnown, type SchemaNode, type StructuredData } from '../structured/json-ld.ts';
import { contentTypes, identityTypes, lacks, present, siteTypes, typesAmong } from '../structured/required.ts';
import { covers } from '../structured/vocabulary.ts';
import { type Check, checksOf, share } from './check.ts';

const check = checksOf('schema');

/** Part S. Contract 00, section 3.8. */
export function schemaChecks({ blocks, nodes }: StructuredData): Check[] {
  const parsed = blocks.filter(({ parses }) => parses).length;
  const broken = blocks.findIndex(({ parses }) => !parses);
  const inContext = blocks.filter(({ hasContext }) => hasContext).length;
  const known = nodes.filter(isKnown).length;
  const unknown = nodes.find((node) => !isKnown(node))?.types.join(', ');
  const used = nodes.flatMap((node) =>
    Object.keys(node.properties).flatMap((name) => (name === '@id' ? [] : [covers(name, node.types)])),
  );
  const covered = used.filter(Boolean).length;
  return [
    check('s1', 'JSON-LD is there', 20, blocks.length > 0 ? 20 : 0, `${blocks.length} elements`),
    check(
      's2',
      'JSON-LD parses',
      15,
      share(15, parsed, blocks.length),
      `${parsed} of ${blocks.length} parse${broken < 0 ? '' : `; element ${broken + 1} fails${at(blocks[broken]!.position)}`}`,
    ),
    check(
      's3',
      'Its context is schema.org',
      10,
      share(10, inContext, blocks.length),
      `${inContext} of ${blocks.length}`,
    ),
    check(
      's4',
      'Types are known',
      15,
      share(15, known, nodes.length),
      `${known} of ${nodes.length} nodes${unknown === undefined ? '' : `; unknown: ${unknown.slice(0, 80)}`}`,
    ),
    identityCheck(nodes),
    siteCheck(nodes),
    contentCheck(nodes),
    check('s8', 'Properties fit their types', 5, share(5, covered, used.length), `${covered} of ${used.length}`),
  ];
}

const at = (position: number | null): string => (position === null ? '' : ` at character ${position}`);

function identityCheck(nodes: readonly SchemaNode[]): Check {
  const points = ({ properties }: SchemaNode) => [
    present(properties.name) ? 5 : 0,
    present(properties.url) ? 5 : 0,
    present(properties.logo) || present(properties.sameAs) ? 5 : 0,
  ];
  const total = (node: SchemaNode) => points(node).reduce((all, each) => all + each, 0);
  const identities = nodes.filter((node) => typesAmong(node, identityTypes).length > 0);
  const best = identities.toSorted((one, other) => total(other) - total(one))[0];
  if (best === undefined) return check('s5', 'Who stands behind it', 15, 0, 'no Organization, LocalBusiness or Person');
  const missing = ['name', 'url', 'logo or sameAs'].filter((_name, index) => points(best)[index] === 0);
  const evidence = `${best.types.join(', ')}${missing.length === 0 ? '' : ` without ${missing.join(', ')}`}`;
  return check('s5', 'Who stands behind it', 15, total(best), evidence);
}

/** The nodes of some types, each with what it lacks by the type that it lacks least of. */
const measured = (nodes: readonly SchemaNode[], wanted: readonly string[]) =>
  nodes
    .flatMap((node) => typesAmong(node, wanted).map((type) => ({ type, missing: lacks(node, type) })))
    .toSorted((one, other) => one.missing.length - other.missing.length);

function siteCheck(nodes: readonly SchemaNode[]): Check {
  const [best] = measured(nodes, siteTypes);
  const whole = best?.missing.length === 0;
  return check('s6', 'Site or page is described', 10, whole ? 10 : 0, evidenceOf(best, 'no WebSite or WebPage'));
}

function contentCheck(nodes: readonly SchemaNode[]): Check {
  const [best] = measured(nodes, contentTypes);
  const points = best === undefined ? 0 : best.missing.length === 0 ? 10 : 4;
  return check('s7', 'Content is described', 10, points, evidenceOf(best, 'no node of a content type'));
}

const evidenceOf = (best: { type: string; missing: string[] } | undefined, otherwise: string): string =>
  best === undefined
    ? otherwise
    : `${best.type}${best.missing.length === 0 ? '' : ` without ${best.missing.join(', ')}`}`;
