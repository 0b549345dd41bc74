import { networks } from './networks.ts';
import type { Presented } from './presented.ts';
import { type OwnReason, PaymentRefused } from './refusals.ts';
import { type RequirementV2, requirementV2, type Terms } from './terms.ts';

/** A signature has to live for as long as its transaction may take into a block, in seconds. */
const secondsLeftMin = 6n;

/**
 * Holds what was presented against what was asked, as far as that needs neither chain nor clock: the checks 2 to 6 of
 * contract 00, section 1.8, in their order. What is asked comes from the service's own terms, never from the payment.
 *
 * @throws PaymentRefused with the reason of the first check that fails
 */
export function match(presented: Presented, terms: Terms): void {
  const { version } = presented;
  const refuseUnless = (holds: boolean, ofVersion1: OwnReason, ofVersion2 = ofVersion1) => {
    if (!holds) throw new PaymentRefused(version === 1 ? ofVersion1 : ofVersion2);
  };
  const { name, caip2 } = networks[terms.network];
  refuseUnless(presented.scheme === 'exact', 'unsupported_scheme', 'invalid_exact_evm_scheme');
  const network = version === 1 ? name : caip2;
  refuseUnless(presented.network === network, 'invalid_network', 'invalid_exact_evm_network_mismatch');
  refuseUnless(version === 1 || echoes(presented.accepted ?? {}, requirementV2(terms)), 'no_matching_requirements');
  refuseUnless(isOfPath(presented.resourceUrl, terms.resource), 'resource_mismatch');
  refuseUnless(presented.payTo === terms.payTo.toLowerCase(), 'invalid_exact_evm_recipient_mismatch');
  refuseUnless(
    presented.value === terms.amount,
    'invalid_exact_evm_authorization_value',
    'invalid_exact_evm_payload_authorization_value_mismatch',
  );
}

/**
 * Whether a signature can be brought onto the chain now: check 7. Not asked of one that was settled, whose answer is had
 * for a day.
 *
 * @param now in milliseconds of the epoch
 * @throws PaymentRefused
 */
export function matchTime({ validAfter, validBefore }: Presented, now: number): void {
  const seconds = BigInt(Math.floor(now / 1000));
  if (validBefore < seconds + secondsLeftMin)
    throw new PaymentRefused('invalid_exact_evm_payload_authorization_valid_before');
  if (validAfter > seconds) throw new PaymentRefused('invalid_exact_evm_payload_authorization_valid_after');
}

/** Whether the requirement that a payer chose is the one that was made; members may have been added to `extra` alone. */
function echoes(accepted: Readonly<Record<string, unknown>>, made: RequirementV2): boolean {
  const { asset, payTo, extra, ...plain } = made;
  const extraOfPayer = typeof accepted.extra === 'object' && accepted.extra !== null ? accepted.extra : {};
  return (
    isSame(accepted, plain) &&
    isSameAddress(accepted.asset, asset) &&
    isSameAddress(accepted.payTo, payTo) &&
    isSame(extraOfPayer as Readonly<Record<string, unknown>>, extra)
  );
}

const isSame = (given: Readonly<Record<string, unknown>>, made: Readonly<Record<string, unknown>>) =>
  Object.entries(made).every(([name, value]) => Object.hasOwn(given, name) && given[name] === value);

const isSameAddress = (given: unknown, made: string) =>
  typeof given === 'string' && given.toLowerCase() === made.toLowerCase();

/** The resource is not signed: this stops a mix-up, not a thief. */
const isOfPath = (given: string | undefined, made: string) =>
  given === undefined || URL.parse(given)?.pathname === new URL(made).pathname;
