import type { AnyOperation } from '../../kernel/run/operation.ts';
import type { Annotations } from './tool.ts';

/**
 * By what an operation does, the last part of its name: whether something may be lost by it. What was there before is lost
 * by what is put in its place, too.
 */
const destructive =
  /^(delete|remove|revoke|rotate|demote|leave|release|sql|applyExpose|archive|set|rename|change|claimSlug|reportLostKey|reportFidelity)/;

/** The same: whether a second call, word for word, changes nothing more. */
const repeatable =
  /^(set|rename|delete|remove|revoke|release|leave|demote|promote|archive|reactivate|ack|resolve|change|applyExpose|claimSlug|confirm|enrolKey|admit|register|verify|reportFidelity)/;

/** Names whose verb says something else than it does elsewhere. */
const exceptions: Readonly<Record<string, Partial<Annotations>>> = {
  // A tier is paid for each time it is set.
  'tiers.set': { idempotentHint: false },
  'users.create': { idempotentHint: true },
  'users.import': { idempotentHint: true },
  'members.add': { idempotentHint: true },
  'grants.create': { idempotentHint: true },
  // It only ever refuses for now, and would make something otherwise.
  'operator.connectChat': { readOnlyHint: false, idempotentHint: false, openWorldHint: true },
};

/** What reaches out: to sites, to chains, and to people. */
const outward: ReadonlySet<string> = new Set([
  'audit.run',
  'audit.buy',
  'products.buyPack',
  'products.buySource',
  'licences.verifyTransaction',
  'rooms.claimInvite',
  'tiers.set',
  'escalations.raise',
  'invites.create',
  'users.create',
  'operator.setContact',
  'operator.sendVerification',
  'operator.enrollPasskey',
  'mail.sendTest',
]);

/** What an operation does to the world, told by its kind and its name. */
export function annotationsOf({ name, kind }: Pick<AnyOperation, 'name' | 'kind'>): Annotations {
  const verb = name.slice(name.indexOf('.') + 1);
  const reads = kind === 'query';
  return {
    readOnlyHint: reads,
    destructiveHint: !reads && destructive.test(verb),
    idempotentHint: reads || repeatable.test(verb),
    openWorldHint: outward.has(name),
    ...exceptions[name],
  };
}
