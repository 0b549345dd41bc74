import type { Envelope } from '../graph/envelope.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { dollars } from '../parts/dollars.ts';

interface TierPaymentProps {
  readonly orgId: string;
  /** The refusal of a tier that exceeds the balance. */
  readonly refusal: Envelope;
}

/** Explains how to pay for a tier that exceeds the balance. The console itself transfers no tokens. */
export function TierPayment({ orgId, refusal: { details } }: TierPaymentProps) {
  const required = Number(details.required_usd_micros);
  const available = Number(details.available_usd_micros);
  const tier = String(details.tier);
  const { network } = (details.price ?? {}) as { readonly network?: string };
  const commands = [
    `svc init --api-base ${location.origin}`,
    `svc tier set ${tier} --org ${orgId} --max-usd-micros ${required}`,
  ];
  return (
    <div className="note warn" role="alert">
      <p>
        The {tier} tier costs {dollars(required)}. The balance is {dollars(available)}. Nothing was changed and nothing
        was paid. There are two ways to pay:
      </p>
      <ul aria-label="How to pay">
        <li>
          Ask the operator of this gateway to add {dollars(required - available)} to the balance, and press the button
          again.
        </li>
        <li>
          Pay {dollars(required)} in USDC{network !== undefined && ` on the network ${network}`} from a wallet at a
          terminal. The first command makes the wallet and prints its address: send the USDC there, and add the address
          to the members below with the role billing. The second command pays.
        </li>
      </ul>
      {commands.map((command) => (
        <div key={command} className="secret">
          <code>{command}</code>
          <CopyButton what={command} text={command} />
        </div>
      ))}
    </div>
  );
}
