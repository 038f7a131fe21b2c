// `hardshell/profiles`: the five tool definitions, each as its document asks for it.

export { PROFILES, type ProfileName } from '../core/profile-names.ts';
export { createProgress, type Progress } from '../profiles/claude-code/progress.ts';
export { type BashConfiguration, DEFAULT_BASH_CONFIGURATION } from '../profiles/layered/configuration.ts';
export type { BashError } from '../profiles/layered/errors.ts';
export {
  createLayeredIntegration,
  type FileOperation,
  type FileOperationAnalysis,
  type LayeredIntegration,
  type PermissionResult,
  type ResourceLimits,
} from '../profiles/layered/integration.ts';
export {
  type CommandExecutionRequest,
  type CommandExecutionResponse,
  executeRequest as executeLayeredRequest,
  type ProtocolOptions as LayeredProtocolOptions,
  type StreamOutputData,
} from '../profiles/layered/protocol.ts';
export type { ResourceUsage } from '../profiles/layered/resource-usage.ts';
export type { SecurityEvent } from '../profiles/layered/security-events.ts';
export type { DetectedThreat, ThreatAnalysisResult } from '../profiles/layered/threat-analysis.ts';
export type * from '../profiles/profile.ts';
export { type ProfileConfiguration, profileOf } from '../profiles/profiles.ts';
export { type BashConfig, DEFAULT_BASH_CONFIG } from '../profiles/proposal-0028/configuration.ts';
export { type StreamEvent, streamProposal0028 } from '../profiles/proposal-0028/streaming.ts';
export type { Fields as ToolInput } from '../profiles/shared/input.ts';
export { describeNotes, describeResult, describeRunning, type HowToUndo } from '../profiles/shared/wording.ts';
