import { BlockList, isIP } from 'node:net';

/** Everything in IPv4 that is no place in the public internet, by the registries of IANA, and a cloud's own channel. */
const notPublic4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];

/** The same within 2000::/3; what lies outside of that is not public either, mapped and translated IPv4 included. */
const notPublic6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

/** An operator's own networks. */
const private4 = ['10.0.0.0/8', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];
const private6 = ['::1/128', 'fc00::/7'];

/** Inside networks of operators, clouds give the secrets of a machine to every process that asks here. */
const metadata6 = ['fd00:ec2::/32', 'fd20:ce::/32'];

// One list for each family: asked of both, Node takes a mapped address for the one that it maps.
const listOf = (family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const network of networks) {
    const [address, bits] = network.split('/');
    list.addSubnet(address!, Number(bits), family);
  }
  return list;
};

const lists = {
  notPublic4: listOf('ipv4', notPublic4),
  private4: listOf('ipv4', private4),
  global6: listOf('ipv6', ['2000::/3']),
  notPublic6: listOf('ipv6', notPublic6),
  private6: listOf('ipv6', private6),
  metadata6: listOf('ipv6', metadata6),
};

/**
 * What kind of place an address is: `public`, `private` (an operator's own network or this machine), or `forbidden`,
 * where no request may go: link-local addresses and those of clouds' metadata, unspecified, multicast, reserved,
 * mapped, translated and tunnelled ones, and whatever is no address.
 */
export function addressKind(address: string): 'public' | 'private' | 'forbidden' {
  switch (isIP(address)) {
    case 4:
      if (!lists.notPublic4.check(address, 'ipv4')) return 'public';
      return lists.private4.check(address, 'ipv4') ? 'private' : 'forbidden';
    case 6:
      if (address.includes('%')) return 'forbidden';
      if (lists.global6.check(address, 'ipv6')) return lists.notPublic6.check(address, 'ipv6') ? 'forbidden' : 'public';
      return lists.private6.check(address, 'ipv6') && !lists.metadata6.check(address, 'ipv6') ? 'private' : 'forbidden';
    default:
      return 'forbidden';
  }
}
