// Fields as the API knows them (Kubernetes 1.36, LeaderWorkerSet v1, KServe v1beta1, KAITO v1beta1, KEDA v1alpha1).
const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''));

export const CONTAINER_FIELDS = words(`args command env envFrom image imagePullPolicy lifecycle livenessProbe name ports
  readinessProbe resizePolicy resources restartPolicy restartPolicyRules securityContext startupProbe stdin stdinOnce
  terminationMessagePath terminationMessagePolicy tty volumeDevices volumeMounts workingDir`);

export const POD_FIELDS = words(`activeDeadlineSeconds affinity automountServiceAccountToken containers dnsConfig
  dnsPolicy enableServiceLinks ephemeralContainers hostAliases hostIPC hostNetwork hostPID hostUsers hostname
  hostnameOverride imagePullSecrets initContainers nodeName nodeSelector os overhead preemptionPolicy priority
  priorityClassName readinessGates resourceClaims resources restartPolicy runtimeClassName schedulerName
  schedulingGates securityContext serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain
  terminationGracePeriodSeconds tolerations topologySpreadConstraints volumes workloadRef`);

/** Fields allowed next to kind, apiVersion and metadata. */
export const TOP_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  Deployment: words('spec status'),
  StatefulSet: words('spec status'),
  LeaderWorkerSet: words('spec status'),
  InferenceService: words('spec status'),
  Rollout: words('spec status'),
  ScaledObject: words('spec status'),
  Workspace: words('resource inference tuning status'),
  ConfigMap: words('data binaryData immutable'),
};

export const SPEC_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  Deployment: words(`minReadySeconds paused progressDeadlineSeconds replicas revisionHistoryLimit selector strategy
    template`),
  StatefulSet: words(`minReadySeconds ordinals persistentVolumeClaimRetentionPolicy podManagementPolicy replicas
    revisionHistoryLimit selector serviceName template updateStrategy volumeClaimTemplates`),
  LeaderWorkerSet: words('leaderWorkerTemplate networkConfig replicas rolloutStrategy startupPolicy'),
  InferenceService: words('explainer predictor transformer'),
  Rollout: words(`analysis minReadySeconds paused progressDeadlineAbort progressDeadlineSeconds replicas restartAt
    revisionHistoryLimit rollbackWindow selector strategy template workloadRef`),
  ScaledObject: words(`advanced cooldownPeriod fallback idleReplicaCount initialCooldownPeriod maxReplicaCount
    minReplicaCount pollingInterval scaleTargetRef triggers`),
};

/** Where pods are described in each kind. */
export const POD_PLACES: Readonly<Record<string, readonly string[]>> = {
  Deployment: ['spec.template.spec'],
  StatefulSet: ['spec.template.spec'],
  Rollout: ['spec.template.spec'],
  LeaderWorkerSet: ['spec.leaderWorkerTemplate.leaderTemplate.spec', 'spec.leaderWorkerTemplate.workerTemplate.spec'],
};
