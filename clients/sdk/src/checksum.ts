// Keccak-256, for the capital letters of EIP-55 alone: what the platform hashes with is not it.

const rounds = 24;
const laneMask = (1n << 64n) - 1n;
const rateBytes = 136;

const rotated = (lane: bigint, by: bigint): bigint => ((lane << by) | (lane >> (64n - by))) & laneMask;

/** The constants of each round, by the generator that defines them. */
const roundConstants = (): bigint[] => {
  let register = 1;
  return Array.from({ length: rounds }, () => {
    let constant = 0n;
    for (let bit = 0; bit < 7; bit++) {
      if ((register & 1) === 1) constant |= 1n << BigInt(2 ** bit - 1);
      register = (register << 1) ^ ((register >> 7) * 0x171);
    }
    return constant;
  });
};

function permute(state: bigint[]): void {
  for (const constant of roundConstants()) {
    const columns = [0, 1, 2, 3, 4].map((x) => [0, 5, 10, 15, 20].reduce((sum, y) => sum ^ state[x + y]!, 0n));
    for (let at = 0; at < 25; at++) state[at]! ^= columns[(at + 4) % 5]! ^ rotated(columns[(at + 1) % 5]!, 1n);
    let [x, y, carried] = [1, 0, state[1]!];
    for (let step = 1; step <= 24; step++) {
      [x, y] = [y, (2 * x + 3 * y) % 5];
      const next = state[x + 5 * y]!;
      state[x + 5 * y] = rotated(carried, BigInt(((step * (step + 1)) / 2) % 64));
      carried = next;
    }
    for (let row = 0; row < 25; row += 5) {
      const lanes = state.slice(row, row + 5);
      for (let x = 0; x < 5; x++) state[row + x] = lanes[x]! ^ (~lanes[(x + 1) % 5]! & laneMask & lanes[(x + 2) % 5]!);
    }
    state[0]! ^= constant;
  }
}

/** Of a text shorter than one block. */
function keccak256(text: string): string {
  const block = new Uint8Array(rateBytes);
  block.set(new TextEncoder().encode(text));
  block[text.length]! ^= 0x01;
  block[rateBytes - 1]! ^= 0x80;
  const lanes = new DataView(block.buffer);
  const state = Array.from({ length: 25 }, (_none, at) => (at < rateBytes / 8 ? lanes.getBigUint64(at * 8, true) : 0n));
  permute(state);
  const digest = new DataView(new ArrayBuffer(32));
  for (let at = 0; at < 4; at++) digest.setBigUint64(at * 8, state[at]!, true);
  return Array.from(new Uint8Array(digest.buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** An address with the capital letters of EIP-55, however it was spelt. */
export function checksumAddress(address: string): string {
  const digits = address.slice(2).toLowerCase();
  if (!/^0x[0-9a-f]{40}$/i.test(address)) throw new TypeError('A wallet’s address is 0x and 40 hexadecimal digits.');
  const hash = keccak256(digits);
  return `0x${[...digits].map((digit, at) => (Number.parseInt(hash[at]!, 16) >= 8 ? digit.toUpperCase() : digit)).join('')}`;
}
