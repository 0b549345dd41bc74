import { dollars } from '../../design/amounts.ts';
import { CodeBlock } from '../../design/code.tsx';
import type { Envelope } from '../../graph/envelope.ts';

interface HowToPayProps {
  readonly orgId: string;
  /** The refusal of a tier that exceeds the balance. */
  readonly refusal: Envelope;
}

/** Explains how to pay for a tier that exceeds the balance. The console itself transfers no tokens. */
export function HowToPay({ orgId, refusal: { details } }: HowToPayProps) {
  const required = Number(details.required_usd_micros);
  const available = Number(details.available_usd_micros);
  const tier = String(details.tier);
  const { network } = (details.price ?? {}) as { readonly network?: string };
  const commands = [
    `svc init --api-base ${location.origin}`,
    `svc tier set ${tier} --org ${orgId} --max-usd-micros ${required}`,
  ];
  return (
    <div className="how-to-pay" role="alert">
      <p>
        <strong>
          The {tier} tier costs {dollars(required)}. The balance is {dollars(available)}.
        </strong>{' '}
        Nothing was changed and nothing was paid. There are two ways to pay:
      </p>
      <ol aria-label="How to pay">
        <li>
          Add {dollars(required - available)} to the balance below, or ask the operator of this gateway to. Then press
          the button again.
        </li>
        <li>
          Pay {dollars(required)} in USDC{network !== undefined && ` on the network ${network}`} from a wallet at a
          terminal. The first command makes the wallet and prints its address: send the USDC there, and add the address
          as a member with the role billing. The second command pays.
        </li>
      </ol>
      <CodeBlock title="Pay at a terminal" code={commands.join('\n')} />
    </div>
  );
}
