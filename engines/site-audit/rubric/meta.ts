import { addressOf } from '../address.ts';
import type { PageFacts } from '../html/page-facts.ts';
import { registrableHost } from '../public-suffix.ts';
import type { SchemaNode } from '../structured/json-ld.ts';
import { present } from '../structured/required.ts';
import { type Check, checksOf, quoted } from './check.ts';

const check = checksOf('meta');

/** The first content of a `meta` by its name or property; empty when there is none. */
export const metaOf = (page: PageFacts, name: string): string =>
  page.metas.get(name)?.find((content) => content !== '') ?? '';

/** Characters as readers count them. */
const lengthOf = (text: string): number => Array.from(text).length;

const absoluteHttp = (text: string): boolean => /^https?:\/\//i.test(text) && addressOf(text) !== undefined;

/** Part M. Contract 00, section 3.8. */
export function metaChecks(page: PageFacts, finalUrl: string, nodes: readonly SchemaNode[]): Check[] {
  const description = metaOf(page, 'description');
  const canonical = page.canonicals.find((href) => href !== '');
  const lang = page.lang?.trim() ?? '';
  const langFits = /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i.test(lang);
  const viewport = metaOf(page, 'viewport') !== '';
  const date = dateOf(page, nodes);
  return [
    check('m1', 'Title', 15, sized(page.title, 10, 70), lengthEvidence('title', page.title)),
    check('m2', 'Description', 15, sized(description, 50, 170), lengthEvidence('description', description)),
    check('m3', 'Canonical link', 15, ...canonicalPoints(canonical, finalUrl)),
    check('m4', 'Language', 10, langFits ? 10 : 0, lang === '' ? 'html has no lang' : `lang is ${quoted(lang)}`),
    openGraph(page),
    check(
      'm6',
      'Twitter card',
      5,
      metaOf(page, 'twitter:card') === '' ? 0 : 5,
      metaOf(page, 'twitter:card') === ''
        ? 'no twitter:card'
        : `twitter:card is ${quoted(metaOf(page, 'twitter:card'))}`,
    ),
    check(
      'm7',
      'Encoding and viewport',
      10,
      (page.declaredUtf8 ? 5 : 0) + (viewport ? 5 : 0),
      `UTF-8 ${page.declaredUtf8 ? 'is declared' : 'is not declared'}, ${viewport ? 'a viewport' : 'no viewport'}`,
    ),
    check(
      'm8',
      'Date',
      10,
      date === undefined ? 0 : 10,
      date === undefined ? 'no date is stated' : `a date in ${date}`,
    ),
  ];
}

function sized(text: string, least: number, most: number): number {
  if (text === '') return 0;
  const length = lengthOf(text);
  return length >= least && length <= most ? 15 : 10;
}

const lengthEvidence = (what: string, text: string): string =>
  text === '' ? `no ${what}` : `${lengthOf(text)} characters: ${quoted(text)}`;

function canonicalPoints(canonical: string | undefined, finalUrl: string): [number, string] {
  if (canonical === undefined) return [0, 'no canonical link'];
  const url = /^https:\/\//i.test(canonical) ? addressOf(canonical) : undefined;
  const isOwn = url !== undefined && registrableHost(url.hostname) === registrableHost(new URL(finalUrl).hostname);
  return [
    isOwn ? 15 : 8,
    `canonical is ${quoted(canonical)}${isOwn ? '' : ', which is not absolute https on this site'}`,
  ];
}

function openGraph(page: PageFacts): Check {
  const fits = (name: string) => {
    const value = metaOf(page, name);
    return name === 'og:image' ? absoluteHttp(value) : value !== '';
  };
  const worth: readonly (readonly [string, number])[] = [
    ['og:title', 5],
    ['og:description', 5],
    ['og:image', 5],
    ['og:url', 3],
    ['og:type', 2],
  ];
  const missing = worth.filter(([name]) => !fits(name));
  const points = 20 - missing.reduce((lost, [, each]) => lost + each, 0);
  const evidence = missing.length === 0 ? 'all five' : `missing: ${missing.map(([name]) => name).join(', ')}`;
  return check('m5', 'Open Graph', 20, points, evidence);
}

const dateTags = ['article:modified_time', 'article:published_time', 'article:updated_time'];
const dateProperties = ['dateModified', 'datePublished', 'dateCreated', 'uploadDate', 'datePosted'];

function dateOf(page: PageFacts, nodes: readonly SchemaNode[]): string | undefined {
  const tag = dateTags.find((name) => metaOf(page, name) !== '');
  if (tag !== undefined) return tag;
  if (page.times.length > 0) return 'time[datetime]';
  return dateProperties.find((name) => nodes.some(({ properties }) => present(properties[name])));
}
