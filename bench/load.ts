/** Closed-loop HTTP load: so many connections, each asking again as soon as it is answered. */
import autocannon from 'autocannon';
import type { LoadAnswer, LoadCommand } from './load-protocol.ts';
import { serve } from './processes.ts';
import { thinLoad } from './thin-load.ts';

serve((command: LoadCommand) => (command.thin === true ? thinLoad(command) : load(command)));

async function load({ url, requests, connections, seconds }: LoadCommand): Promise<LoadAnswer> {
  let nth = 0;
  const startedAt = performance.now();
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: requests as autocannon.Request[],
    setupClient(client) {
      // Each connection begins elsewhere in the list, or all would ask for the same thing at the same time.
      const from = Math.floor((nth++ * requests.length) / connections) % requests.length;
      client.setRequests([...requests.slice(from), ...requests.slice(0, from)] as autocannon.Request[]);
    },
  });
  const expected = requests[0]?.expected;
  const answered = expected === undefined ? result['2xx'] : (result.statusCodeStats?.[`${expected}`]?.count ?? 0);
  return {
    answered,
    seconds: (performance.now() - startedAt) / 1000,
    failed: result['2xx'] + result.non2xx - answered + result.errors + result.timeouts,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
