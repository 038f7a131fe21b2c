// The first message → its answer, if it is the greeting of the older protocol: exactly what the SDK will answer once it
// is loaded, which takes longer than everything else. A test compares the two.

import type { ProfileName } from '../../../host.ts';
import { CAPABILITIES, type Identity, instructionsFor } from '../identity.ts';

/** Versions that start with `initialize`, best first. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
/** If present in `_meta`, it is the newer protocol, which the SDK answers itself. */
const MODERN = 'io.modelcontextprotocol/protocolVersion';

export function greet(first: unknown, identity: Identity, profile: ProfileName | 'standard'): object | null {
  const { method, id, params } = first as Record<string, unknown>;
  if (method !== 'initialize' || id === undefined || !isObject(params)) return null;
  const { protocolVersion, capabilities, clientInfo, _meta } = params;
  // An incomplete message is left to the SDK to refuse.
  if (typeof protocolVersion !== 'string' || !isObject(capabilities) || !isObject(clientInfo)) return null;
  if (typeof clientInfo.name !== 'string' || typeof clientInfo.version !== 'string') return null;
  if (isObject(_meta) && MODERN in _meta) return null;
  return {
    protocolVersion: VERSIONS.includes(protocolVersion) ? protocolVersion : VERSIONS[0],
    capabilities: CAPABILITIES,
    serverInfo: identity,
    instructions: instructionsFor(profile),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
